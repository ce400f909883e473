package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// maskedBy fails unless no half of what was encoded is left of a text, and what is far from it is.
func maskedBy(t *testing.T, secret, before, encoded, behind string) {
	t.Helper()
	out, hits := of(secret).Text(before + encoded + behind)
	got := out.String()
	for at := range len(encoded) / 2 {
		if strings.Contains(got, encoded[at:at+len(encoded)/2]) {
			t.Errorf("half of %q is left in %q", encoded, got)
			return
		}
	}
	if hits.Total() == 0 || !strings.Contains(got, "[REDACTED]") {
		t.Errorf("%q became %q", encoded, got)
	}
}

const sentence = "every morning before breakfast people watch ships while many small rivers carry gravel toward an open harbour and gulls count them"

// TestBase85AmongOtherCharacters: a long run was taken for base 85 by its signs altogether, or by what stood at its beginning and in its middle, so that a few hundred
// letters beside base 85, or bytes that are written with few signs, hid it.
func TestBase85AmongOtherCharacters(t *testing.T) {
	for _, secret := range []string{"SU1z6KWAIYI9Y2lQUc1c", "tR9wLm2Q", "oSzvA8FTUoAUiv1U7WO5xKe73"} {
		for _, inner := range []string{base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret)), string(zlibbed("value " + secret))} {
			encoded := base85(inner)
			maskedBy(t, secret, strings.Repeat("A", 500), encoded, strings.Repeat("A", 300))
			maskedBy(t, secret, base85(strings.Repeat("\x90\x12\x34\x56", 100)), encoded, base85(strings.Repeat("\x90\x12\x34\x56", 50)))
			maskedBy(t, secret, sentence+"\n", wrap(encoded, 30, "\n"), "\n"+sentence)
		}
	}
}

// TestBase32BetweenWords: without spaces, base32 in lower case and the words around it are one run. It was judged by the digits in all of it.
func TestBase32BetweenWords(t *testing.T) {
	for _, secret := range []string{"uV3SuOq9tUItHDzHwn4V", "RE5wN9rnHneDCEcgQLLq", "bausbQdDNMU8L5wWZvs3"} {
		for _, inner := range []string{base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret))} {
			for _, enc := range []*base32.Encoding{base32.StdEncoding, base32.HexEncoding} {
				encoded := strings.ToLower(strings.TrimRight(enc.EncodeToString([]byte(inner)), "="))
				maskedBy(t, secret, sentence+"\n", wrap(encoded, 16, "\n"), "\n"+sentence)
				maskedBy(t, secret, sentence+" ", rot13(encoded), " "+sentence)
				maskedBy(t, secret, sentence+" ", reversed(encoded), " "+sentence)
			}
		}
	}
}

// TestCompatibilityFormsOfEveryAlphabet: that a letter has a plainer form was known of some blocks only, and a long s isn't in these.
func TestCompatibilityFormsOfEveryAlphabet(t *testing.T) {
	for secret, form := range map[string]string{
		"as5Rs2q7sW9kLsz": "aſ5Rſ2q7ſW9kLſz",
		"x7LJq2lj9WdzQ4p": "x7Ǉq2ǉ9WǳQ4p",
		"q9ijW3xIJ8kT2mP": "q9ĳW3xĲ8kT2mP",
		"7αβθφ4wQ9zRt":    "7αϐϑϕ4wQ9zRt",
	} {
		masks(t, secret, form)
		masks(t, secret, base64.StdEncoding.EncodeToString([]byte(form)))
	}
}

// TestMarksAreSigns: a line through every character was no sign, because it is no character of its own.
func TestMarksAreSigns(t *testing.T) {
	const secret = "oMfNcG8cdnIjmt48KD9t"
	for _, mark := range []string{"\u0336", "\u0301", "\u20dd", "\u0334"} {
		maskedBy(t, secret, "a line before\n", wrap(base64.RawStdEncoding.EncodeToString([]byte(hex.EncodeToString([]byte(secret)))), 1, mark), "\n")
	}
}
