package runner

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine/enginetest/leak"
	"github.com/computclaw/airlock/app/redact"
)

// tooLittle is what may be seen of a secret: the four characters that its mask shows, or three at a cut.
const tooLittle = 4

// TestCaptureCutWithinSecret ends the output, and reaches both limits, at the places of a secret: at each near its ends, at some between.
func TestCaptureCutWithinSecret(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "%05x", i*i*26839)
	}
	secret := b.String()
	red := redact.New([]redact.Value{{Name: "A", Secret: app.NewSecret(secret)}})
	noOthers := func() (*redact.Redactor, error) { return nil, nil }
	const limit = 500
	const hard = limit*floodFactor + 1 // what the guest lets through; masks are shorter, so its end may lie within the limit
	for n := range len(secret) + 1 {
		if n > 40 && n < len(secret)-40 && n%17 != 0 {
			continue
		}
		for name, c := range map[string]struct {
			printed string
			broken  bool
		}{
			"stopped":      {strings.Repeat("=", 100) + secret[:n], true},
			"output limit": {strings.Repeat("=", max(limit-n, 0)) + secret + strings.Repeat("=", limit), false},
			"guest limit":  {strings.Repeat("=", (hard-n)%len(secret)) + strings.Repeat(secret, (hard-n)/len(secret)) + secret[:n], false},
		} {
			out := newCapture(red, noOthers, limit, func(int) {}, func() {}, func() {})
			out.write([]byte(c.printed))
			if got := leak.Shown(out.text(), secret); got > tooLittle {
				t.Fatalf("%s at %d: %d bytes are shown live: %s", name, n, got, out.text())
			}
			clean, err := red.Execution(redact.Execution{Stdout: out.whole(c.broken)})
			if err != nil {
				t.Fatal(err)
			}
			text, _ := out.keep(clean.Stdout)
			if got := leak.Shown(text.String(), secret); got > tooLittle {
				t.Fatalf("%s at %d: %d bytes are shown: %s", name, n, got, text)
			}
		}
	}
}

// TestLiveViewSurvivesAnError: what could not be redacted isn't shown, and is shown, redacted, as soon as it can be.
func TestLiveViewSurvivesAnError(t *testing.T) {
	t.Parallel()
	const secret = "another-value-0123456789abcdef"
	values := []redact.Value{{Name: "THEIRS", Secret: app.NewSecret(secret), Unheld: true}}
	others := redact.New(values, redact.Options{Anonymous: true})
	var red *redact.Redactor
	var err error
	ask := func() (*redact.Redactor, error) { return red, err }
	out := newCapture(redact.New(nil), ask, 1000, func(int) {}, func() {}, func() {})
	view := func(text, want string) {
		t.Helper()
		if out.write([]byte(text)); out.text() != want {
			t.Errorf("after %q the view is %q, want %q", text, out.text(), want)
		}
	}
	view("first\n", "first\n")
	err = errors.New("the database is busy")
	view("held "+secret[:10], "first\n")
	view(secret[10:15], "first\n")
	red, err = others, nil
	view(secret[15:]+"\nlast\n", "first\nheld [REDACTED]\nlast\n")

	red, err = nil, errors.New("the database is gone")
	out = newCapture(redact.New(nil), ask, 1000, func(int) {}, func() {}, func() {})
	view(strings.Repeat("x", 1001)+"\n", "")
	if err = nil; len(out.held) != 0 {
		t.Errorf("%d bytes are held", len(out.held))
	}
	view("more\n", "")
}
