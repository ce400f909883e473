package profiles

import (
	"maps"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/profileview"
)

// edit is a profile as its form describes it. Fields that the form lacks stay.
type edit struct {
	description string
	expires     time.Time
	placement   app.Placement
	mayRun      app.MayRun
}

// editProfile saves name, purpose, end, placement and permissions. It reads everything before it
// writes.
func (h Handlers) editProfile(c echo.Context, p app.Profile, fields url.Values) error {
	e, err := h.readEdit(p, fields)
	if err == nil {
		err = h.saveEdit(c, p, e)
	}
	if err == nil {
		return h.Done(c, "profile-edited", profileview.TabSettings.URL(p.Handle))
	}
	known := descriptionFields()
	maps.Copy(known, expiryFields())
	maps.Copy(known, map[string]string{"backend": "backend", "min_tier": "min_tier", "image": "image",
		"may_run": "may_run"})
	found, err := uix.Problems(err, known)
	if err != nil {
		return err
	}
	return h.showProfileAgain(c, p.Handle, func(page *profileview.ProfilePage) {
		page.Tab, page.Problems = profileview.TabSettings, found
		page.Name, page.Purpose, page.Place = fields.Get("name"), fields.Get("purpose"), e.placement
		page.MayRun = e.mayRun
		page.Expiry = expiryForm(fields)
	})
}

func (h Handlers) readEdit(p app.Profile, fields url.Values) (e edit, err error) {
	e.expires, e.placement, e.mayRun = p.ExpiresAt, p.Placement, p.MayRun
	if e.description, err = readDescription(fields); err != nil {
		return e, err
	}
	if name, purpose := app.SplitDescription(p.Description); e.description == app.JoinDescription(name, purpose) {
		e.description = p.Description // a long first line stays one
	}
	if e.expires, err = parseExpiry(expiryForm(fields), p.ExpiresAt, h.Now()); err != nil {
		return e, err
	}
	if fields.Has("may_run") {
		if e.mayRun, err = app.ParseMayRun(fields.Get("may_run")); err != nil {
			return e, err
		}
	}
	if fields.Has("backend") {
		e.placement, err = h.choosePlacement(p, fields)
	}
	return e, err
}

// saveEdit writes what differs.
func (h Handlers) saveEdit(c echo.Context, p app.Profile, e edit) (err error) {
	ctx, by := c.Request().Context(), uix.Actor(c)
	if e.description != p.Description {
		_, err = h.Access.Profiles.Describe(ctx, by, p.Handle, e.description)
	}
	if err == nil && !e.expires.Equal(p.ExpiresAt) {
		_, err = h.Access.Lifecycle.SetExpiry(ctx, by, p.Handle, e.expires)
	}
	if err == nil && e.placement != p.Placement {
		_, err = h.Access.Placements.Set(ctx, by, p.Handle, e.placement)
	}
	if err == nil && e.mayRun != p.MayRun {
		_, err = h.Access.CodeRules.Set(ctx, by, p.Handle, e.mayRun)
	}
	return err
}
