package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app/redact/encodings"
)

// encoders are what a script may do to a secret without meaning to hide it. They share no code with
// the needles.
var encoders = map[string]func(before, secret, after string) string{
	"raw":           func(b, s, a string) string { return b + s + a },
	"base64":        func(b, s, a string) string { return base64.StdEncoding.EncodeToString([]byte(b + s + a)) },
	"base64 raw":    func(b, s, a string) string { return base64.RawStdEncoding.EncodeToString([]byte(b + s + a)) },
	"base64url":     func(b, s, a string) string { return base64.URLEncoding.EncodeToString([]byte(b + s + a)) },
	"base64url raw": func(b, s, a string) string { return base64.RawURLEncoding.EncodeToString([]byte(b + s + a)) },
	"hex":           func(b, s, a string) string { return hex.EncodeToString([]byte(b + s + a)) },
	"HEX":           func(b, s, a string) string { return strings.ToUpper(hex.EncodeToString([]byte(b + s + a))) },
	"query":         func(b, s, a string) string { return url.QueryEscape(b + s + a) },
	"path":          func(b, s, a string) string { return url.PathEscape(b + s + a) },
	"userinfo":      func(b, s, a string) string { return url.UserPassword(b, s).String() + "@" + a },
	"values":        func(b, s, a string) string { return url.Values{b: {s}}.Encode() + a },
	"json":          func(b, s, a string) string { out, _ := json.Marshal([]string{b + s + a}); return string(out) },
	"ascii json":    func(b, s, a string) string { return strconv.QuoteToASCII(b) + asciiJSON(s) + a },
	"cgi":           func(b, s, a string) string { return b + percentEach(s, "%%%02X") + a },
	"cgi lower":     func(b, s, a string) string { return b + percentEach(s, "%%%02x") + a },
}

func asciiJSON(s string) string {
	plain, _ := json.Marshal(s)
	var b strings.Builder
	for _, r := range string(plain) {
		switch {
		case r < 128:
			b.WriteRune(r)
		case r < 0x10000:
			b.WriteString(`\u` + strconv.FormatInt(0x10000|int64(r), 16)[1:])
		default:
			r -= 0x10000
			b.WriteString(`\u` + strconv.FormatInt(0xd800+int64(r>>10), 16) + `\u` +
				strconv.FormatInt(0xdc00+int64(r&0x3ff), 16))
		}
	}
	return b.String()
}

func percentEach(s, format string) string {
	digits := "0123456789ABCDEF"
	if strings.HasSuffix(format, "x") {
		digits = strings.ToLower(digits)
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteString("%" + digits[c>>4:c>>4+1] + digits[c&15:c&15+1])
	}
	return b.String()
}

// detect looks for a secret in what was let through, decoding in every way it knows. It returns how
// it found it.
func detect(text, secret string) string {
	for _, part := range unmasked(text) {
		if strings.Contains(part, secret) {
			return "raw"
		}
		for _, run := range regexp.MustCompile(`[0-9a-fA-F]+`).FindAllString(part, -1) {
			for from := range min(2, len(run)) {
				decoded, _ := hex.DecodeString(run[from : from+(len(run)-from)/2*2])
				if strings.Contains(string(decoded), secret) {
					return "hex"
				}
			}
		}
		for _, run := range regexp.MustCompile(`[A-Za-z0-9+/_-]+`).FindAllString(part, -1) {
			run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
			for from := range min(4, len(run)) {
				to := len(run)
				if (to-from)%4 == 1 {
					to--
				}
				decoded, _ := base64.RawStdEncoding.DecodeString(run[from:to])
				if strings.Contains(string(decoded), secret) {
					return "base64"
				}
			}
		}
		if decoded, err := url.QueryUnescape(part); err == nil && strings.Contains(decoded, secret) {
			return "percent"
		}
		if decoded, err := url.PathUnescape(part); err == nil && strings.Contains(decoded, secret) {
			return "percent"
		}
		var decoded string
		if err := json.Unmarshal([]byte(`"`+strings.Trim(part, `[]"`)+`"`), &decoded); err == nil &&
			strings.Contains(decoded, secret) {
			return "json"
		}
	}
	return ""
}

// TestDetectorFinds keeps the detector honest: it finds every encoder's work when nothing is
// masked.
func TestDetectorFinds(t *testing.T) {
	t.Parallel()
	secret := "p@ss/wörd\"+<x>"
	for name, encode := range encoders {
		text := encode("xy", secret, "")
		if name == "ascii json" {
			text = asciiJSON(secret)
		}
		if detect(text, secret) == "" {
			t.Errorf("%s is not found in %s", name, text)
		}
	}
}

func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	ascii := rapid.Map(rapid.IntRange(' ', '~'), func(i int) rune { return rune(i) })
	secrets := map[string]*rapid.Generator[string]{
		"ASCII":   rapid.StringOfN(ascii, 8, 90, -1),
		"letters": rapid.StringMatching(`[A-Za-z0-9]{8,60}`),
		"Unicode": rapid.StringOfN(rapid.SampledFrom([]rune("äß€語😀aZ09 \"'\\/<&+%=~\t\u2028\u00a0")), 8, 40, -1),
		"digits":  rapid.StringMatching(`[0-9]{8,30}`),
		"runs":    rapid.StringMatching(`(ab){4,40}a?`),
	}
	around := rapid.StringMatching(`[A-Za-z0-9:;=. -]{0,7}`)
	for kind, generator := range secrets {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				secret := strings.TrimSpace(generator.Draw(r, "secret"))
				if len([]rune(secret)) < encodings.MinWhole {
					r.Skip("white space only")
				}
				redactor := of(secret, long)
				for name, encode := range encoders {
					text := encode(around.Draw(r, "before"), secret, around.Draw(r, "after"))
					got, hits := stream(t, redactor, cut(r, text)...)
					if how := detect(got, secret); how != "" || hits == 0 {
						r.Fatalf("%s: %q became %q (%d hits); found as %q", name, text, got, hits, how)
					}
				}
			})
		})
	}
}
