package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// shows returns the longest beginning or end of the secret that the text has, in bytes.
func shows(text, secret string) int {
	for n := len(secret); n > 0; n-- {
		if strings.Contains(text, secret[:n]) || strings.Contains(text, secret[len(secret)-n:]) {
			return n
		}
	}
	return 0
}

// tooLittle is what may be seen of a secret: the four characters that its mask shows, or three at a cut.
const tooLittle = 4

// TestCaptureCutWithinSecret ends the output, and reaches both limits, at the places of a secret: at each near its ends, at some between.
func TestCaptureCutWithinSecret(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "%05x", i*i*26839)
	}
	secret := b.String()
	red := redact.New([]redact.Value{{Name: "A", Secret: app.NewSecret(secret)}})
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
			out := newCapture(func() redactor { return redactor{red: red} }, limit, new(turns), false, func() {}, func() {})
			_, _ = out.Write([]byte(c.printed))
			if got := shows(out.text(), secret); got > tooLittle {
				t.Fatalf("%s at %d: %d bytes are shown live: %s", name, n, got, out.text())
			}
			clean, err := red.Execution(redact.Execution{Stdout: out.whole(c.broken)})
			if err != nil {
				t.Fatal(err)
			}
			text, _ := out.keep(clean.Stdout)
			if got := shows(text.String(), secret); got > tooLittle {
				t.Fatalf("%s at %d: %d bytes are shown: %s", name, n, got, text)
			}
		}
	}
}

// TestErrorCutWithinSecret puts a secret across the places where a long error is cut, every third byte.
func TestErrorCutWithinSecret(t *testing.T) {
	w := newWorld(t)
	check := func(message string) {
		t.Helper()
		x, _ := w.finished("fail "+message+"\nexit 1", app.StatusError)
		if got := shows(x.Error, secretValue); got > tooLittle || len(x.Error) > maxError || len(x.Error) < maxError-100 {
			t.Errorf("%d bytes are shown, of %d", got, len(x.Error))
		}
	}
	for n := 0; n <= len(secretValue); n += 3 { // each place costs a pass over 64 KiB
		const before = maxError/2 - len("Traceback:\n  line 7\n") - len("\n… 12345 bytes …\n")/2
		check(strings.Repeat("A", before-n) + secretValue + strings.Repeat("B", 60000)) // where the engine cuts
		check(strings.Repeat("A", 70000) + secretValue[:n])                             // where the guest did
	}
}
