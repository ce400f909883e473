package capture

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine/enginetest/leak"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
)

// tooLittle is the most that may show of a secret: four characters of its mask, or three at a cut.
const tooLittle = 4

func quiet(limit int64, redactor func() (*redact.Redactor, error)) *Pair {
	return New(Config{Limit: limit, Redactor: redactor, Changed: func() {}, Flooded: func(string) {}, Now: time.Now})
}

// TestCaptureCutWithinSecret cuts the output and reaches both limits within a secret, mostly near
// its ends.
func TestCaptureCutWithinSecret(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "%05x", i*i*26839)
	}
	secret := b.String()
	red := redact.New([]secrets.Resolved{{Key: "A", Secret: app.NewSecret(secret)}})
	ask := func() (*redact.Redactor, error) { return red, nil }
	const limit = 500
	// the guest's limit; masks are shorter, so its end may lie within the limit
	const hard = limit*FloodFactor + 1
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
			"guest limit": {strings.Repeat("=", (hard-n)%len(secret)) + strings.Repeat(secret, (hard-n)/len(secret)) +
				secret[:n], false},
		} {
			out := quiet(limit, ask).Stdout
			out.Add([]byte(c.printed))
			if got := leak.Shown(out.Text(), secret); got > tooLittle {
				t.Fatalf("%s at %d: %d bytes are shown live: %s", name, n, got, out.Text())
			}
			clean, err := red.Execution(redact.Execution{Stdout: out.Whole(c.broken)})
			if err != nil {
				t.Fatal(err)
			}
			text, _ := out.Keep(clean.Stdout)
			if got := leak.Shown(text.String(), secret); got > tooLittle {
				t.Fatalf("%s at %d: %d bytes are shown: %s", name, n, got, text)
			}
		}
	}
}

// Output that can't be redacted is hidden until it can be.
func TestLiveViewSurvivesAnError(t *testing.T) {
	t.Parallel()
	const secret = "another-value-0123456789abcdef"
	values := []secrets.Resolved{{Key: "THEIRS", Secret: app.NewSecret(secret), Held: secrets.ByHosts}}
	red, failing := redact.New(nil), error(nil)
	out := quiet(1000, func() (*redact.Redactor, error) { return red, failing }).Stdout
	view := func(text, want string) {
		t.Helper()
		if out.Add([]byte(text)); out.Text() != want {
			t.Errorf("after %q the view is %q, want %q", text, out.Text(), want)
		}
	}
	view("first\n", "first\n")
	failing = errors.New("the database is busy")
	view("held "+secret[:10], "first\n")
	view(secret[10:15], "first\n")
	red, failing = redact.New(values), nil
	view(secret[15:]+"\nlast\n", "first\nheld [REDACTED]\nlast\n")
}
