package transfers

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/settingsview"
)

const someProfiles = "some"

func (h Handlers) showMove(c echo.Context) error { return h.movePage(c, http.StatusOK, nil, nil) }

// movePage shows the export form as typed; nil is a new one.
func (h Handlers) movePage(c echo.Context, status int, found components.Problems, typed url.Values) error {
	sh, profiles, err := h.Shell(c, settingsview.MoveTitle, layout.SectionSettings)
	if err != nil {
		return err
	}
	retired, err := h.Access.Switches.ReadRetirement(c.Request().Context())
	if err != nil {
		return err
	}
	points, err := h.Transfer.RestorePoints()
	if err != nil {
		return err
	}
	artifacts, err := h.Transfer.ArtifactBytes(c.Request().Context(), nil)
	if err != nil {
		return err
	}
	page := settingsview.MovePage{
		Shell: sh, Profiles: profiles, Problems: found, Ticked: typed["profiles"],
		Some: typed.Get("which") == someProfiles, Left: typed.Get("artifacts") == "yes",
		History:   typed == nil || typed.Get("history") == "yes",
		Artifacts: artifacts, Points: points, Retired: retired.Since, By: retired.By.Name,
		KeyFrom: h.Key.From, KeyID: h.Key.ID, KeyRisk: h.Key.Risk,
	}
	return h.Render(c, status, settingsview.Move(page))
}

func (h Handlers) export(c echo.Context, fields url.Values) (err error) {
	if found := uix.CheckRepeated(fields.Get("passphrase"), fields.Get("again"), "export-again"); found != nil {
		return h.movePage(c, http.StatusUnprocessableEntity, found, fields)
	}
	what := transfer.Selection{History: fields.Get("history") == "yes", Artifacts: fields.Get("artifacts") == "yes"}
	if fields.Get("which") == someProfiles {
		if what.Profiles = fields["profiles"]; len(what.Profiles) == 0 {
			return h.movePage(c, http.StatusUnprocessableEntity, components.Problems{
				"export-profiles": "No profile is chosen. Tick at least one, or export all.",
			}, fields)
		}
	}
	passphrase := app.NewSecret(fields.Get("passphrase"))
	if err = errors.Join(what.Check(), transfer.CheckPassphrase(passphrase)); err == nil {
		var id string
		if id, err = h.Transfer.StartExport(uix.Actor(c), passphrase, what); err == nil {
			return c.Redirect(http.StatusSeeOther, paths.At(paths.TransferPath, id))
		}
	}
	found, err := uix.Problems(err, map[string]string{"passphrase": "export-passphrase", "artifacts": "include-artifacts"})
	if err != nil {
		return err
	}
	return h.movePage(c, http.StatusUnprocessableEntity, found, fields)
}

func (h Handlers) retire(c echo.Context) error {
	if err := h.Access.Switches.Retire(c.Request().Context(), uix.Actor(c)); err != nil {
		return err
	}
	return h.Done(c, "retired", paths.SettingsMove)
}

func (h Handlers) unretire(c echo.Context) error {
	if err := h.Access.Switches.Unretire(c.Request().Context(), uix.Actor(c)); err != nil {
		return err
	}
	return h.Done(c, "unretired", paths.SettingsMove)
}
