package patterns

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
)

// TestPlaceholderInAHeaderIsNoValue: what services reflect of a request with a sealed value holds
// its placeholder only, whatever the rules make of what it is glued to; nobody is told that the
// value was there.
func TestPlaceholderInAHeaderIsNoValue(t *testing.T) {
	t.Parallel()
	set, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	const placeholder = "airlock_sealed_0a1b2c3d4e5f6a7b8c9d0e1f"
	red := redact.New([]secrets.Resolved{{Key: "U_SEALED", Secret: app.NewSecret("kP9s-Zx81qLmN4vT7w2"),
		Placeholder: placeholder}}, redact.Options{Rules: set.Find, Ahead: set.FindAhead})
	ruled := 0
	for _, text := range []string{
		`{"headers": {"authorization": "Basic Ym9iOn` + placeholder + `g=="}}`, `{"token": "abc` + placeholder + `"}`,
		`{'token': 'abc` + placeholder + `'}`,
		"Authorization: Bearer " + placeholder, "password=" + placeholder + "x", "postgres://bob:a" + placeholder +
			"@db.example/x",
	} {
		clean, hits := red.Text(text)
		for _, h := range hits {
			if h.Name != "" {
				t.Errorf("%s: %+v", text, h)
			}
			if strings.Contains(h.Encoding, "the placeholder of U_SEALED") {
				ruled++
			}
		}
		if strings.Contains(clean.String(), placeholder) {
			t.Errorf("%s became %s", text, clean)
		}
	}
	if ruled == 0 {
		t.Error("no rule took a placeholder along, so that this proves nothing")
	}
}
