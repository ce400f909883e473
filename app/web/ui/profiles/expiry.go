package profiles

import (
	"net/url"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/views/profileview"
)

// expiryFields maps an expiry's problems to fields.
func expiryFields() map[string]string {
	return map[string]string{"expires_at": "expiry", "expiry": "expiry", "expiry_date": "expiry_date"}
}

func expiryForm(fields url.Values) profileview.ExpiryForm {
	return profileview.ExpiryForm{Choice: fields.Get("expiry"), Date: fields.Get("expiry_date")}
}

// parseExpiry turns the choice into a time; zero is never. A date means the end of that day in UTC.
func parseExpiry(f profileview.ExpiryForm, before, now time.Time) (at time.Time, err error) {
	switch f.Choice {
	case "keep", "":
		return before, nil
	case "never":
		return time.Time{}, nil
	case "date":
		at, ok := profiles.ParseExpiry(f.Date, now)
		if !ok {
			return before, app.Invalid("expiry_date", "this is not a date", "Choose a day, such as 2030-12-31.")
		}
		if !at.After(now) {
			return before, app.Invalid("expiry_date", "this day is over", "Choose a later day.")
		}
		return at, nil
	}
	at, ok := profiles.ParseExpiry(f.Choice+"d", now.UTC())
	if !ok {
		return before, app.Invalid("expiry", "this end is not known", "Choose one from the list.")
	}
	return at.Truncate(time.Minute), nil
}
