package redact

import (
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

const sentence = "every morning before breakfast people watch ships while many small rivers carry gravel toward an " +
	"open harbour and gulls count them"

// TestBase85AmongOtherCharacters: a long run was taken for base 85 by its signs altogether, or by
// what stood at its beginning and in its middle, so that a few hundred letters beside base 85, or
// bytes that are written with few signs, hid it.
func TestBase85AmongOtherCharacters(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"SU1z6KWAIYI9Y2lQUc1c", "tR9wLm2Q", "oSzvA8FTUoAUiv1U7WO5xKe73"} {
		for _, inner := range []string{base64.StdEncoding.EncodeToString([]byte(secret)),
			hex.EncodeToString([]byte(secret)), string(zlibbed("value " + secret))} {
			encoded := base85(inner)
			maskedBy(t, secret, strings.Repeat("A", 500), encoded, strings.Repeat("A", 300))
			maskedBy(t, secret, base85(strings.Repeat("\x90\x12\x34\x56", 100)), encoded,
				base85(strings.Repeat("\x90\x12\x34\x56", 50)))
			maskedBy(t, secret, sentence+"\n", wrap(encoded, 30, "\n"), "\n"+sentence)
		}
	}
}
