package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app/redact/encodings"
)

// hiders are what a script may do to hide a value. They share no code with the decoders.
var hiders = map[string]func(string) string{
	"base64":       func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 URL":   func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64 lines": func(s string) string { return wrap(base64.StdEncoding.EncodeToString([]byte(s)), 76, "\r\n") },
	"base32":       func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
	"hex":          func(s string) string { return hex.EncodeToString([]byte(s)) },
	"HEX":          func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"hex, spaces":  func(s string) string { return fmt.Sprintf("% x", s) },
	"hex, colons":  func(s string) string { return strings.ReplaceAll(fmt.Sprintf("% X", s), " ", ":") },
	"ascii85": func(s string) string {
		out := make([]byte, ascii85.MaxEncodedLen(len(s)))
		return string(out[:ascii85.Encode(out, []byte(s))])
	},
	"percent":          func(s string) string { return percentEach(s, "%%%02X") },
	"query":            url.QueryEscape,
	"\\u":              func(s string) string { return eachRune(s, `\u%04x`) },
	"\\x":              func(s string) string { return eachByte(s, `\x%02x`) },
	"octal":            func(s string) string { return eachByte(s, `\%03o`) },
	"entities":         func(s string) string { return eachRune(s, "&#%d;") },
	"hex entities":     func(s string) string { return eachRune(s, "&#x%x;") },
	"quoted-printable": func(s string) string { return eachByte(s, "=%02X") },
	"decimal":          func(s string) string { return strings.TrimSuffix(eachByte(s, "%d, "), ", ") },
	"octal list":       func(s string) string { return eachByte(s, "%03o ") },
	"bits":             func(s string) string { return eachByte(s, "%08b ") },
	"bits together":    func(s string) string { return eachByte(s, "%08b") },
	"threes":           func(s string) string { return eachByte(s, "%03d") },
	"0x":               func(s string) string { return eachByte(s, "0x%02x, ") },
	"reversed":         encodings.Reverse,
	"ROT13":            encodings.ROT13,
	"gzip": func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(s))
		_ = w.Close()
		return base64.StdEncoding.EncodeToString(b.Bytes())
	},
	"zlib": func(s string) string {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		_, _ = w.Write([]byte(s))
		_ = w.Close()
		return hex.EncodeToString(b.Bytes())
	},
	"JSON":       func(s string) string { out, _ := json.Marshal(s); return string(out) },
	"spaced":     func(s string) string { return eachRune(s, "%c ") },
	"dashes":     func(s string) string { return strings.TrimSuffix(eachRune(s, "%c-"), "-") },
	"zero-width": func(s string) string { return eachRune(s, "%c\u200b") },
	"coloured":   func(s string) string { return eachRune(s, "%c\x1b[31m") },
	"number":     func(s string) string { return new(big.Int).SetBytes([]byte(s)).String() },
}

func eachByte(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func eachRune(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

// separators put something between the characters; more than one of them at a time is not always
// seen through.
var separators = []string{"spaced", "dashes", "zero-width", "coloured"}

func names() []string {
	var out []string
	for name := range hiders {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func testSecret(r *rand.Rand, n int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return "x" + string(b) + "9K"
}

// hidden reports whether what is left beside the masks is too little to make the value from: of the
// form in which it stands there less than half.
func hidden(in, out, form string) bool {
	left := 0
	for _, part := range unmasked(out) {
		left += len(part)
	}
	return left <= len(in)-len(form)/2 && out != in
}

// TestOneHider: each hider alone, in the middle of a text.
func TestOneHider(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 22))
	for _, name := range names() {
		for range 30 {
			secret := testSecret(r, 13+r.IntN(30))
			form := hiders[name](secret)
			text := "a line before\nvalue: " + form + "\nand one behind\n"
			got, hits := of(secret).Text(text)
			if hits.Total() == 0 || !hidden(text, got.String(), form) {
				t.Errorf("%s: %q became %q", name, text, got)
				break
			}
			if !strings.HasPrefix(got.String(), "a line before\n") || !strings.HasSuffix(got.String(), "one behind\n") {
				t.Errorf("%s: %q became %q: too much", name, text, got)
				break
			}
		}
	}
}

// TestTwoHiders: each pair.
func TestTwoHiders(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(23, 24))
	failed := map[string]int{}
	for _, inner := range names() {
		for _, outer := range names() {
			if inner == "coloured" {
				continue // nobody's terminal shows these escapes any more
			}
			for turn := range 2 {
				if !*every && turn > 0 {
					continue
				}
				secret := testSecret(r, 13+r.IntN(30))
				form := hiders[outer](hiders[inner](secret))
				text := "value: " + form + "\n"
				got, hits := of(secret).Text(text)
				if hits.Total() == 0 || !hidden(text, got.String(), form) {
					failed[outer+" of "+inner]++
				}
			}
		}
	}
	for pair, n := range failed {
		t.Errorf("%s: %d of 2", pair, n)
	}
}

func TestThreeHiders(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		secret := testSecret(rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "a"), 1)),
			rapid.IntRange(13, 40).Draw(r, "length"))
		text, apart := secret, false
		for i := range 3 {
			name := rapid.SampledFrom(names()).Draw(r, "hider")
			if name == "coloured" && i < 2 {
				name = "hex" // no terminal shows such escapes
			}
			if slices.Contains(separators, name) {
				if apart {
					name = "HEX"
				}
				apart = true
			}
			text = hiders[name](text)
		}
		form := text
		text = rapid.SampledFrom([]string{"", "x: ", "token="}).Draw(r, "before") + form + "\n"
		got, hits := of(secret).Text(text)
		// what is left is quotes, however long they are
		asItWas := strings.Contains(got.String(), "[REDACTED..."+secret[len(secret)-4:]+"]")
		if hits.Total() == 0 || !asItWas && !hidden(text, got.String(), form) ||
			strings.Contains(got.String(), secret) {
			r.Fatalf("%q became %q", text, got)
		}
	})
}
