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
	before := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		form  profileview.ExpiryForm
		at    time.Time
		field string
	}{
		{form: profileview.ExpiryForm{Choice: "keep"}, at: before},
		{form: profileview.ExpiryForm{Choice: "never"}},
		{form: profileview.ExpiryForm{Choice: "1"}, at: time.Date(2026, 3, 5, 5, 6, 0, 0, time.UTC)},
		{form: profileview.ExpiryForm{Choice: "date", Date: "2026-03-04"}, at: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)},
		{form: profileview.ExpiryForm{Choice: "date", Date: "2026-03-03"}, at: before, field: "expiry_date"},
		{form: profileview.ExpiryForm{Choice: "date", Date: "soon"}, at: before, field: "expiry_date"},
		{form: profileview.ExpiryForm{Choice: "-1"}, at: before, field: "expiry"},
		{form: profileview.ExpiryForm{Choice: "99999"}, at: before, field: "expiry"},
		{form: profileview.ExpiryForm{Choice: "x"}, at: before, field: "expiry"},
	} {
		at, err := parseExpiry(c.form, before, now)
		field := ""
		if e, ok := uix.AppError(err); ok {
			field = e.Field
		}
		if !at.Equal(c.at) || field != c.field {
			t.Errorf("%+v: %v %v", c.form, at, err)
		}
	}
}
