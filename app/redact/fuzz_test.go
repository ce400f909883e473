package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/encodings"
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
		redactor := New(values)
		got, _ := stream(t, redactor, pieces...)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		values[0].Unheld, values[1].Unheld = true, true // the reference knows no fragments
		_, _, all := needles(values)
		check(t, New(values), all, string(text))
		if want := redactor.machine.render(string(text), redactor.machine.places(text, true, false),
			new(tally)); got != want {
			t.Fatalf("Stream: %q, want %q", got, want)
		}
		for _, secret := range []string{strings.TrimSpace(a), strings.TrimSpace(b)} {
			if utf8.RuneCountInString(secret) < encodings.MinWhole {
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

// FuzzJSON: every input is refused or becomes valid JSON without the secret, which stays as it is
// when done again.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"secret-value":["secret-value",12345678,{"a":null}]}`))
	r := of("secret-value", "12345678")
	f.Fuzz(func(t *testing.T, data []byte) {
		got, _, err := jsonOf(r, data)
		if err != nil {
			return
		}
		if !json.Valid(data) || !json.Valid([]byte(got.String())) {
			t.Fatalf("%q became %q", data, got)
		}
		again, hits, err := jsonOf(r, json.RawMessage(got.String()))
		if err != nil || hits != 0 || again != got {
			t.Fatalf("%q became %q, then %q with %d hits, %v", data, got, again, hits, err)
		}
		if strings.Contains(got.String(), "secret-value") || strings.Contains(got.String(), "12345678") {
			t.Fatalf("%q became %q", data, got)
		}
	})
}

// FuzzFinal: whatever the text, the final pass gives UTF-8, has no value in it, and takes no part
// of what is not masked away.
func FuzzFinal(f *testing.F) {
	const secret = "kP9s-Zx81_qLmN4vT7w2"
	r := of(secret, "hunter2", "é€😀-secret-word")
	for _, text := range []string{
		secret, "a1A5cy1aeDgxX3FMbU40dlQ3dzI=", "H4sIAAAAAAAA/w==", "\x1b[31mk\u200bP", "1, 2, 3, 4, 5, 6, 7, 8, 9",
		"=\n=3D=41", `\u{1F600}\ud83d\ude00\x`, "k-P-9-s---Z-x-8-1",
		"&#107;&#x50;&;", "%u006b%6B%", "BZh91AY&SY", "x\x9c\x00\x00\xff\xff\x01\x02\x03",
		"9999999999999999999999999999", "ＡＢｃ\u0301", "\xff\xfe\xc2",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 5000 {
			return
		}
		got, _ := r.Text(text)
		if !utf8.ValidString(got.String()) || strings.Contains(got.String(), secret) {
			t.Fatalf("%q became %q", text, got)
		}
		rest := valid(text)
		for _, part := range strings.Split(strings.ReplaceAll(strings.ReplaceAll(got.String(), maskUnchecked,
			"\x00\x01"), "[REDACTED...T7w2]", "\x00\x01"), "\x00\x01") {
			for _, part := range strings.Split(strings.ReplaceAll(part, "[REDACTED...word]", maskPlain), maskPlain) {
				i := strings.Index(rest, part)
				if i < 0 {
					t.Fatalf("%q became %q", text, got)
				}
				rest = rest[i+len(part):]
			}
		}
		if data, err := json.Marshal([]string{text}); err == nil {
			if clean, _, err := resultOf(r, data); err != nil || !json.Valid([]byte(clean.String())) {
				t.Fatalf("%q became %q, %v", data, clean, err)
			}
		}
	})
}
