package patterns

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/redact"
)

// TestLive writes every example of every rule in random pieces to a Stream. What people see while
// it comes must be what the whole would be.
func TestLive(t *testing.T) {
	t.Parallel()
	set, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	red := redact.New(nil, redact.Options{Rules: set.Find, Ahead: set.FindAhead})
	r := rand.New(rand.NewPCG(31, 32))
	for _, rule := range Rules() {
		for _, example := range append(rule.Found, rule.Ignored...) {
			for range 3 {
				text, secret := fillIn(example, r.IntN)
				text = "a line before\n" + text + "\nand one behind\n"
				want, _ := red.Text(text)
				live, _ := inPieces(red, text, r)
				// the end of several lines may be shown; and what stands before its mark
				if live != want.String() && !rule.Lines && rule.Back <= 8 {
					t.Errorf("%s: %q is shown as %q, and in the end as %q", rule.Name, text, live, want)
				}
				if left := longest(live, secret); left > 9 && rule.Back <= 8 {
					t.Errorf("%s: %q is shown as %q", rule.Name, text, live)
				}
			}
		}
	}
}

// longest returns how many bytes of a secret stand together in a text.
func longest(text, secret string) (n int) {
	for i := range secret {
		for i+n < len(secret) && strings.Contains(text, secret[i:i+n+1]) {
			n++
		}
	}
	return n
}

func inPieces(red *redact.Redactor, text string, r *rand.Rand) (live string, hits int) {
	var b strings.Builder
	s := red.Stream(func(c redact.Clean) { b.WriteString(c.String()) })
	for text != "" {
		n := min(len(text), 1+r.IntN(30))
		_, _ = s.Write([]byte(text[:n]))
		text = text[n:]
	}
	_ = s.Close()
	return b.String(), s.Hits().Total()
}

// TestLiveStaysLive: what can't become a secret is shown at once.
func TestLiveStaysLive(t *testing.T) {
	t.Parallel()
	set, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	var live strings.Builder
	s := redact.New(nil, redact.Options{Ahead: set.FindAhead}).Stream(func(c redact.Clean) { live.WriteString(c.String()) })
	for _, step := range []struct{ write, shown string }{
		{"40 % done", "40 % done"},
		{"\npassw", "\n"},
		{"ord", ""},
		{" reset\n", "password reset\n"},
		{"DB_PASSWORD=k3v8x1q7", "DB_"},
		{"w5z2\nnext", "PASSWORD=[REDACTED]\nnext"},
		{strings.Repeat("password ", 2000), strings.Repeat("password ", 2000)[:0]},
	} {
		before := live.Len()
		_, _ = s.Write([]byte(step.write))
		got := live.String()[before:]
		if step.shown != "" && got != step.shown {
			t.Errorf("after %.40q %q is shown, want %q", step.write, got, step.shown)
		}
		if len(step.write) > 10000 && len(got) < len(step.write)-9000 {
			t.Errorf("%d bytes are held back", len(step.write)-len(got))
		}
	}
	if s.Hits().Total() != 1 {
		t.Errorf("%v", s.Hits())
	}
}
