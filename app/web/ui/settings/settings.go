package settings

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/settingsview"
)

// show serves the settings page at a path.
func (h Handlers) show(path string) httpx.Route {
	return httpx.Get(path, func(c echo.Context) error { return h.settingsPage(c, http.StatusOK, path, nil) })
}

func (h Handlers) settingsPage(c echo.Context, status int, path string, found components.Problems) error {
	sh, _, err := h.Shell(c, "Settings", layout.SectionSettings)
	if err != nil {
		return err
	}
	here := uix.Session(c)
	page := settingsview.SettingsPage{
		Shell: sh, Address: c.RealIP(), PersonID: here.PersonID, SessionID: here.ID, Problems: found,
		Rules: h.Rules.Entries(), Here: path,
	}
	if err := h.addPeople(c.Request().Context(), &page); err != nil {
		return err
	}
	if path == paths.Settings {
		if err := h.addPasskeys(c, &page); err != nil {
			return err
		}
	}
	if err := h.addRetention(c.Request().Context(), &page); err != nil {
		return err
	}
	age := time.Duration(0)
	if uix.Partial(c) {
		age = uix.VaultMaxAge
	}
	if vault, err := h.Vault.State(c.Request().Context(), age); err != nil {
		return err
	} else if vault != nil {
		page.Vault = &vault.VaultStatus
	}
	if uix.Partial(c) && status < http.StatusBadRequest {
		page.Live = true
		return h.Render(c, status, settingsview.Live(page))
	}
	return h.Render(c, status, settingsview.Settings(page))
}

func (h Handlers) pauseExecutions(c echo.Context) error {
	if err := h.Access.Switches.Pause(c.Request().Context(), uix.Actor(c)); err != nil {
		return err
	}
	return h.Done(c, "paused", paths.SettingsInstance)
}

func (h Handlers) resumeExecutions(c echo.Context) error {
	if err := h.Access.Switches.Resume(c.Request().Context(), uix.Actor(c)); err != nil {
		return err
	}
	return h.Done(c, "resumed", uix.CameFrom(c.Request()))
}

func (h Handlers) addRetention(ctx context.Context, page *settingsview.SettingsPage) error {
	size, err := h.Engine.Statistics.DatabaseSize(ctx)
	if err != nil {
		return err
	}
	page.Database, page.Reusable = size.Bytes, size.Reusable
	if h.Retention != nil {
		page.Retention, err = h.Retention.Status(ctx)
	}
	return err
}
