package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/redact/encodings"
)

func numbersOf(text, verb, between string) string {
	var numbers []string
	for _, c := range []byte(text) {
		numbers = append(numbers, fmt.Sprintf(verb, c))
	}
	return strings.Join(numbers, between)
}

// TestListsBetweenDigits: where the text around a list of numbers was digits, its first or last
// number was read with them, and a list joined by a backslash has no escape for its first byte:
// case 3008489 of the proof. A token that ended one list didn't begin the next, nor did a list
// without the word before its first number.
func TestListsBetweenDigits(t *testing.T) {
	t.Parallel()
	var some sampler
	for _, secret := range []string{"a9LDeaNn9AvV3EnDxWc1", "päNIJ€b€9tq7ézö9"} {
		r := of(secret)
		for _, verb := range []string{"%d", "%08b", "%b", "%#b", "%03o", "%o", "%O", "%02x", "%#x", "x%02x", "u%04x",
			"U%08x"} {
			for _, between := range []string{`\`, ";", ", ", ")+chr(", ")+byte(", " "} {
				form := numbersOf(secret, verb, between)
				for _, before := range []string{"", "3", "17", "0x12", "took 17 user", "took 17, 12 ",
					strings.Repeat("n", 30), strings.Repeat("7", 30), form} {
					for _, behind := range []string{"", "3", "01", "100%", "nd", "zz"} {
						if some.skip() {
							continue
						}
						out, _ := r.Text("so " + before + form + behind + " rows")
						if left := out.String(); strings.Contains(left, form[len(form)/4:len(form)*2/3]) {
							t.Errorf("%q in %s, %q before and %q behind: %q", between, verb, before, behind, left)
						}
					}
				}
			}
		}
	}
}

// TestListsBetweenDigitsInChannels: the same over channels, and in another encoding.
func TestListsBetweenDigitsInChannels(t *testing.T) {
	t.Parallel()
	const secret = "päNIJ€b€9tq7ézö9"
	form := numbersOf(secret, "%03o", `\`)
	text := "took =" + form + "3] total"
	for at := len("took =1"); at < len(text)-len("1 total"); at++ {
		out, err := of(secret).Execution(Execution{Stdout: Output{Raw: []byte(text[:at])},
			Stderr: Output{Raw: []byte(text[at:])}})
		if err != nil {
			t.Fatal(err)
		}
		left := out.Stdout.String() + out.Stderr.String()
		if strings.Contains(left, form[len(form)/3:len(form)*2/3]) {
			t.Errorf("cut at %d: %q", at, left)
		}
	}
	for name, outer := range map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(text)),
		"hex": hex.EncodeToString([]byte(text)), "ROT13": encodings.ROT13(text), "reversed": encodings.Reverse(text)} {
		out, _ := of(secret).Text("so " + outer + " rows")
		if left := out.String(); strings.Contains(left, outer[len(outer)/3:len(outer)*2/3]) {
			t.Errorf("%s: %q", name, left)
		}
	}
}
