package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// FuzzStream cuts a text at every n-th byte and compares with the slow way.
func FuzzStream(f *testing.F) {
	f.Add("abcabcabcd", "bcabcd", []byte("xabcabcabcabcd"), uint8(1))
	f.Fuzz(func(t *testing.T, a, b string, text []byte, n uint8) {
		if len(a)+len(b) > 300 || len(text) > 2000 {
			return
		}
		values := []Value{{Secret: app.NewSecret(a)}, {Secret: app.NewSecret(b)}}
		var pieces []string
		for rest := string(text); rest != ""; {
			size := min(len(rest), int(n)%40+1)
			pieces = append(pieces, rest[:size])
			rest = rest[size:]
		}
		got, hits := stream(t, New(values), pieces...)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		if want, n := reference(needles(values), string(text)); utf8.Valid(text) && (got != want || hits != n) {
			t.Fatalf("got %q, %d; want %q, %d", got, hits, want, n)
		}
		for _, secret := range []string{strings.TrimSpace(a), strings.TrimSpace(b)} {
			if utf8.RuneCountInString(secret) < minWhole {
				continue
			}
			for _, part := range unmasked(got) {
				if strings.Contains(part, secret) && !strings.Contains(secret, "\uFFFD") {
					t.Fatalf("%q is in %q", secret, got)
				}
			}
		}
	})
}

// FuzzJSON: every input is refused or becomes valid JSON without the secret, which stays as it is when done again.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"secret-value":["secret-value",12345678,{"a":null}]}`))
	r := of("secret-value", "12345678")
	f.Fuzz(func(t *testing.T, data []byte) {
		got, _, err := r.JSON(data)
		if err != nil {
			return
		}
		if !json.Valid(data) || !json.Valid([]byte(got.String())) {
			t.Fatalf("%q became %q", data, got)
		}
		again, hits, err := r.JSON(json.RawMessage(got.String()))
		if err != nil || hits != 0 || again != got {
			t.Fatalf("%q became %q, then %q with %d hits, %v", data, got, again, hits, err)
		}
		if strings.Contains(got.String(), "secret-value") || strings.Contains(got.String(), "12345678") {
			t.Fatalf("%q became %q", data, got)
		}
	})
}
