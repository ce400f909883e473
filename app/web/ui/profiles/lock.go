package profiles

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
)

func (h Handlers) showLock(c echo.Context, p app.Profile) error {
	if p.Locked || p.Revoked {
		return c.Redirect(http.StatusSeeOther, paths.ProfileURL(p.Handle))
	}
	return h.lockPage(c, http.StatusOK, p, nil)
}

func (h Handlers) lockPage(c echo.Context, status int, p app.Profile, found components.Problems) error {
	sh, _, err := h.Shell(c, "Lock "+format.Title(p.Description), layout.SectionProfiles)
	if err != nil {
		return err
	}
	page := profileview.LockPage{Shell: sh, Profile: p, Allowed: app.AllowedHosts(p.Hosts), Problems: found}
	if page.Granted, err = h.Access.Grants.Keys(c.Request().Context(), p); err != nil {
		return err
	}
	if page.Unresolved, err = h.listUnresolved(c, p); err != nil {
		return err
	}
	if blocked, ok := uix.AppError(p.CanLock(h.Now())); ok {
		page.Blocked = uix.Sentences(blocked)
	}
	return h.Render(c, status, profileview.Lock(page))
}

// lockProfile locks only what the person saw. The form carries the last shown change's time.
func (h Handlers) lockProfile(c echo.Context, p app.Profile, fields url.Values) error {
	seen, err := time.Parse(time.RFC3339Nano, fields.Get("seen"))
	if err != nil || seen.IsZero() {
		return app.Invalid("seen", "the form is incomplete", "Open the page again and lock from there.")
	}
	may := p.MayRun
	if fields.Has("may_run") {
		may, err = app.ParseMayRun(fields.Get("may_run"))
	}
	if err == nil {
		_, err = h.Access.Lifecycle.LockTo(c.Request().Context(), uix.Actor(c), p.Handle, seen, may)
	}
	if err == nil {
		return h.Done(c, "profile-locked", paths.ProfileURL(p.Handle))
	}
	found, err := uix.Problems(err, map[string]string{"may_run": "may_run"})
	if err != nil {
		return err
	}
	if p, err = h.Access.Profiles.ByHandle(c.Request().Context(), p.Handle); err != nil {
		return err
	}
	return h.lockPage(c, http.StatusUnprocessableEntity, p, found)
}

// listUnresolved lists the profile's keys that Vault can't provide now, as far as it answers within
// a few seconds.
func (h Handlers) listUnresolved(c echo.Context, p app.Profile) (list []profileview.Unresolved, err error) {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 3*time.Second)
	defer cancel()
	credentials, err := h.Access.Credentials.List(c.Request().Context())
	if err != nil || !h.Access.Vault.IsConfigured() {
		return nil, err
	}
	for _, k := range p.Keys {
		at := slices.IndexFunc(credentials, func(c app.Credential) bool { return c.ID == k.CredentialID })
		if at < 0 || credentials[at].Source != app.SourceVault {
			continue
		}
		found, err := h.Access.Vault.Inspect(ctx, uix.Actor(c), credentials[at])
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		if found.Problem != "" {
			list = append(list, profileview.Unresolved{
				Key: k.Name, Credential: credentials[at].Name, Problem: format.Sentence(found.Problem),
			})
		}
	}
	return list, nil
}
