package profiles

import (
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
)

func (h Handlers) changeExpiry(c echo.Context, p app.Profile, fields url.Values) error {
	chosen := profileview.ExpiryForm{Choice: fields.Get("expiry"), Date: fields.Get("expiry_date")}
	at, change, err := chooseExpiry(chosen, h.Now())
	if err == nil && change {
		_, err = h.Access.Lifecycle.SetExpiry(c.Request().Context(), uix.Actor(c), p.Handle, at)
	}
	if err == nil {
		return h.Done(c, "expiry-changed", paths.ProfileURL(p.Handle))
	}
	found, err := uix.Problems(err, expiryFields())
	if err != nil {
		return err
	}
	return h.showProfileAgain(c, p.Handle,
		func(page *profileview.ProfilePage) { page.Problems, page.Expiry = found, chosen })
}

// expiryFields places what is wrong with an expiry.
func expiryFields() map[string]string {
	return map[string]string{"expires_at": "expiry", "expiry": "expiry", "expiry_date": "expiry_date"}
}

// chooseExpiry turns the choice into a time; zero is never, and change is false where it stays as
// it is. A date means the end of that day in UTC.
func chooseExpiry(f profileview.ExpiryForm, now time.Time) (at time.Time, change bool, err error) {
	switch f.Choice {
	case "keep", "":
		return time.Time{}, false, nil
	case "never":
		return time.Time{}, true, nil
	case "date":
		day, err := time.Parse(time.DateOnly, f.Date)
		if err != nil {
			return time.Time{}, false, app.Invalid("expiry_date", "this is not a date",
				"Choose a day, such as 2030-12-31.")
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
