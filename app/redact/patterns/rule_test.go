package patterns

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
)

// TestHoleF1RuleBeginsAValue: of a value that a rule takes only a part of, or that begins or ends
// with another value, no part is shown, whole or in pieces.
func TestHoleF1RuleBeginsAValue(t *testing.T) {
	set, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	const own = "x81LmN4vT7wkP9sZ"
	values := []string{
		"AKIAIOSFODNN7LZKMPLQ:wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "ghp_x81LmN4vT7wkP9sZxQ2rY6uJ3hB5nC0dE1fG.rY6uJ3hB5nC0dE1f",
		"sk_live_x81LmN4vT7wkP9sZxQ2rY6uJ:rY6uJ3hB5nC0dE1f",
		own + ":rY6uJ3hB5nC0dE1fG8aKo", "rY6uJ3hB5nC0dE1fG8aKo:" + own,
	}
	for _, sign := range []string{";", "&", ",", " ", "'"} {
		values = append(values, "q7/Vt+9Lr2Xc4Zb8"+sign+"Nm1Kp6Hs3Wd5Yf0G")
	}
	for _, v := range values {
		red := redact.New([]secrets.Resolved{{Key: "OWN", Secret: app.NewSecret(own)},
			{Key: "THEIRS", Secret: app.NewSecret(v), Held: secrets.ByHosts}},
			redact.Options{Rules: set.Find, Ahead: set.FindAhead})
		for _, text := range []string{"log: V.", "GET / Authorization: Bearer V 200", "password=V\n", "api_key: V end",
			`{"token":"V"}`} {
			text = strings.ReplaceAll(text, "V", v)
			clean, hits := red.Text(text)
			for size := range len(text) + 1 {
				shown := clean.String()
				if size > 0 {
					shown = ""
					s := red.Stream(func(c redact.Clean) { shown += c.String() })
					for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
						_, _ = s.Write([]byte(rest[:min(size, len(rest))]))
					}
					_ = s.Close()
				}
				if n := longest(shown, v); n > 3 {
					t.Fatalf("%q is shown as %q in pieces of %d", text, shown, size)
				}
			}
			if len(hits) != 1 || hits[0].Rule != redact.RuleNotGiven || hits[0].Name != "THEIRS" {
				t.Errorf("%q: %+v", text, hits)
			}
		}
	}
}

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
