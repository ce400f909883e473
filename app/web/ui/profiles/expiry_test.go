package profiles

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/profileview"
)

func TestChooseExpiry(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, c := range []struct {
		form   profileview.ExpiryForm
		at     time.Time
		change bool
		field  string
	}{
		{form: profileview.ExpiryForm{Choice: "keep"}},
		{form: profileview.ExpiryForm{Choice: "never"}, change: true},
		{form: profileview.ExpiryForm{Choice: "1"}, change: true, at: time.Date(2026, 3, 5, 5, 6, 0, 0, time.UTC)},
		{form: profileview.ExpiryForm{Choice: "date", Date: "2026-03-04"}, change: true,
			at: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)},
		{form: profileview.ExpiryForm{Choice: "date", Date: "2026-03-03"}, field: "expiry_date"},
		{form: profileview.ExpiryForm{Choice: "date", Date: "soon"}, field: "expiry_date"},
		{form: profileview.ExpiryForm{Choice: "-1"}, field: "expiry"},
		{form: profileview.ExpiryForm{Choice: "99999"}, field: "expiry"},
		{form: profileview.ExpiryForm{Choice: "x"}, field: "expiry"},
	} {
		at, change, err := parseExpiry(c.form, now)
		field := ""
		if e, ok := uix.AppError(err); ok {
			field = e.Field
		}
		if !at.Equal(c.at) || change != c.change || field != c.field {
			t.Errorf("%+v: %v %v %v", c.form, at, change, err)
		}
	}
}
