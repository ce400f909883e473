package proof

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
)

// TestOrdinaryTextStays: what is too short a part of a value, and the text around it, is not
// masked.
func TestOrdinaryTextStays(t *testing.T) {
	for n := range max(*cases/3, 1) {
		r := rand.New(rand.NewPCG(*seed, uint64(n)))
		value := []rune(valueOf(r, r.IntN(3)))
		red := redact.New([]secrets.Resolved{{Key: "KEY", Secret: app.NewSecret(string(value))}})
		var text strings.Builder
		for range 1 + r.IntN(4) {
			length := 1 + r.IntN(7)
			from := r.IntN(len(value) - length)
			text.WriteString(prose(r) + "(" + string(value[from:from+length]) + ") and then ")
		}
		a := attempt{Text: text.String(), Channel: "stdout"}
		s, err := a.through(r, red)
		if err != nil {
			t.Fatal(err)
		}
		if s.Live != a.Text || s.Stdout.String() != a.Text || len(s.Hits) != 0 {
			t.Fatalf("case %d: %q becomes %q, live %q", n, a.Text, s.Stdout, s.Live)
		}
	}
}
