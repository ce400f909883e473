package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
)

func (s *Server) showLock(c echo.Context) error {
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	if p.Locked || p.Revoked {
		return s.backToProfile(c)
	}
	return s.lockPage(c, http.StatusOK, p, nil)
}

func (s *Server) lockPage(c echo.Context, status int, p app.Profile, found components.Problems) error {
	sh, _, err := s.shell(c, "Lock "+format.Title(p.Description), layout.SectionProfiles)
	if err != nil {
		return err
	}
	page := profileview.LockPage{Shell: sh, Profile: p, Allowed: profileview.AllowedHosts(p.Hosts), Problems: found}
	if page.Granted, err = s.granted(c.Request().Context(), p); err != nil {
		return err
	}
	if page.Unresolved, err = s.unresolved(c, p); err != nil {
		return err
	}
	if blocked, ok := asAppError(p.CanLock(s.cfg.Now())); ok {
		page.Blocked = told(blocked)
	}
	return s.render(c, status, profileview.Lock(page))
}

// lockProfile locks what the person saw, and only that: the form carries the time of the last change it showed.
func (s *Server) lockProfile(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	seen, err := time.Parse(time.RFC3339Nano, fields.Get("seen"))
	if err != nil || seen.IsZero() {
		return app.Invalid("seen", "the form is incomplete", "Open the page again and lock from there.")
	}
	_, err = s.cfg.Access.Lock(c.Request().Context(), actorOf(c), p.Handle, seen)
	if err == nil {
		return s.done(c, "profile-locked", paths.ProfileURL(p.Handle))
	}
	found, err := problems(err, nil)
	if err != nil {
		return err
	}
	if p, err = s.pathProfileByHandle(c); err != nil {
		return err
	}
	return s.lockPage(c, http.StatusUnprocessableEntity, p, found)
}

func (s *Server) changeExpiry(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	chosen := profileview.ExpiryForm{Choice: fields.Get("expiry"), Date: fields.Get("expiry_date")}
	at, change, err := chooseExpiry(chosen, s.cfg.Now())
	if err == nil && change {
		_, err = s.cfg.Access.SetExpiry(c.Request().Context(), actorOf(c), p.Handle, at)
	}
	if err == nil {
		return s.done(c, "expiry-changed", paths.ProfileURL(p.Handle))
	}
	found, err := problems(err, expiryFields())
	if err != nil {
		return err
	}
	return s.showProfileAgain(c, p.Handle, func(page *profileview.ProfilePage) { page.Problems, page.Expiry = found, chosen })
}

// expiryFields places what is wrong with an expiry.
func expiryFields() map[string]string {
	return map[string]string{"expires_at": "expiry", "expiry": "expiry", "expiry_date": "expiry_date"}
}

// chooseExpiry turns the choice into a time; zero is never, and change is false where it stays as it is. A date means the end of that day in UTC.
func chooseExpiry(f profileview.ExpiryForm, now time.Time) (at time.Time, change bool, err error) {
	switch f.Choice {
	case "keep", "":
		return time.Time{}, false, nil
	case "never":
		return time.Time{}, true, nil
	case "date":
		day, err := time.Parse(time.DateOnly, f.Date)
		if err != nil {
			return time.Time{}, false, app.Invalid("expiry_date", "this is not a date", "Choose a day, such as 2030-12-31.")
		}
		if at = day.AddDate(0, 0, 1); !at.After(now) {
			return time.Time{}, false, app.Invalid("expiry_date", "this day is over", "Choose a later day.")
		}
		return at, true, nil
	}
	days, err := strconv.Atoi(f.Choice)
	if err != nil || days < 1 || days > 3650 {
		return time.Time{}, false, app.Invalid("expiry", "this end is not known", "Choose one of the list.")
	}
	return now.UTC().AddDate(0, 0, days).Truncate(time.Minute), true, nil
}
