package admin

import (
	"testing"
	"time"
)

func TestExpiry(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"": {}, "never": {}, "2026-12-31": time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
		"2026-12-31T18:00:00Z": time.Date(2026, 12, 31, 18, 0, 0, 0, time.UTC),
		"30d":                  now.AddDate(0, 0, 30), "12h": now.Add(12 * time.Hour),
	} {
		if got, err := parseExpiry(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"x", "-1d", "0d", "-5h", "31.12.2026", "99999999d"} {
		if _, err := parseExpiry(text, now); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}
