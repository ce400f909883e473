package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// pemKey is a key as large as a usual one: 1744 bytes.
func pemKey() string {
	body := base64.StdEncoding.EncodeToString([]byte(randomSecret(rand.New(rand.NewPCG(7, 8)), 1240)))
	return "-----BEGIN PRIVATE KEY-----\n" + wrap(body, 64, "\n") + "\n-----END PRIVATE KEY-----\n"
}

func withoutBreaks(text string) string {
	return strings.NewReplacer("\r", "", "\n", "", `\\r`, "", `\\n`, "", `\r`, "", `\n`, "").Replace(text)
}

var lineBreaks = []string{"\n", "\r\n", `\n`, `\r\n`, `\\n`, `\\r\\n`}

// TestEncodedKeyInLines is Python's base64.encodebytes, the tools base64 and xxd -p, and their
// like.
func TestEncodedKeyInLines(t *testing.T) {
	t.Parallel()
	var some sampler
	pem := pemKey()
	r := of(pem)
	encoded := map[string]string{
		"base64":            base64.StdEncoding.EncodeToString([]byte(pem)),
		"base64, trimmed":   base64.StdEncoding.EncodeToString([]byte(strings.TrimSpace(pem))),
		"base64, URL":       base64.RawURLEncoding.EncodeToString([]byte(pem)),
		"base64, shifted 1": base64.StdEncoding.EncodeToString([]byte("x" + pem)),
		"base64, shifted 2": base64.StdEncoding.EncodeToString([]byte("xy" + pem)),
		"hex":               hex.EncodeToString([]byte(pem)),
		"HEX":               strings.ToUpper(hex.EncodeToString([]byte(pem))),
	}
	for name, code := range encoded {
		for _, with := range lineBreaks {
			for _, width := range []int{1, 3, 19, 76, 1000} {
				if some.skip() {
					continue
				}
				text := "key:" + with + wrap(code, width, with) + with + "ordinary text follows"
				got, hits := maskText(r, text)
				// What is left are characters of what is around the key, like its last line break.
				around, ok := strings.CutSuffix(withoutBreaks(got.String()), "ordinary text follows")
				if around = strings.Replace(around, "[REDACTED]", "", 1); !ok || hits != 1 ||
					len(around) > len("key:")+8 {
					t.Errorf("%s in lines of %d with %q: %d hits, %.300q", name, width, with, hits, got)
				}
				// A Stream finds what begins in a line with four characters or more.
				live, n := stream(t, r, strings.SplitAfter(text, "a")...)
				around, ok = strings.CutSuffix(withoutBreaks(live), "ordinary text follows")
				if around = strings.Replace(around, "[REDACTED]", "", 1); width > 6 &&
					(!ok || n != 1 || len(around) > len("key:")+8) {
					t.Errorf("%s in lines of %d with %q: the stream has %d hits, %.300q", name, width, with, n, live)
				}
			}
		}
	}
}

// TestShortValueAcrossColumn has values at every place around the column where encoders break
// lines.
func TestShortValueAcrossColumn(t *testing.T) {
	t.Parallel()
	var some sampler
	for _, secret := range []string{"hunter22", "abcdefghijklmnopqrstuvwxyz", strings.Repeat("Zx9", 16),
		strings.Repeat("Zx9", 17)} {
		r := of(secret)
		for before := 0; before < 120; before += 1 + before%3 {
			plain := []byte(strings.Repeat("?", before) + secret + strings.Repeat("?", 60))
			for _, code := range []string{base64.StdEncoding.EncodeToString(plain), hex.EncodeToString(plain)} {
				for _, with := range lineBreaks {
					if some.skip() {
						continue
					}
					got, hits := maskText(r, wrap(code, 76, with))
					if left := withoutBreaks(got.String()); hits != 1 || detect(left, secret[1:7]) != "" {
						t.Fatalf("%q at %d, %q: %d hits, %s", secret, before, with, hits, got)
					}
				}
			}
		}
	}
}

func TestJSONResultInLines(t *testing.T) {
	t.Parallel()
	pem := pemKey()
	code := base64.StdEncoding.EncodeToString([]byte(pem))
	within, _ := json.Marshal(map[string]string{"key": wrap(code, 76, "\n")})
	data, _ := json.Marshal([]string{wrap(code, 76, "\n") + "\nend", wrap(code, 64, "\r\n"), wrap(code, 76, `\n`),
		string(within)})
	got, hits, err := jsonOf(of(pem), data)
	if want := `["[REDACTED]\nend","[REDACTED]","[REDACTED]","{\"key\":\"[REDACTED]\"}"]`; err != nil || hits != 4 ||
		got.String() != want {
		t.Errorf("%d hits, %v, %s", hits, err, got)
	}
}

// TestRunEndsWithItsValue: a run doesn't swallow the lines that follow the value.
func TestRunEndsWithItsValue(t *testing.T) {
	t.Parallel()
	var some sampler
	for n := 48 + 1; n < 48+60; n++ {
		secret := randomSecret(rand.New(rand.NewPCG(9, 10)), n)
		for shift := range 3 {
			plain := []byte("???"[:shift] + secret)
			for _, code := range []string{base64.RawStdEncoding.EncodeToString(plain), hex.EncodeToString(plain)} {
				for _, with := range lineBreaks {
					if some.skip() {
						continue
					}
					got, _ := maskText(of(secret), wrap(code, 76, with)+with+"cafe and more")
					if !strings.HasSuffix(got.String(), with+"cafe and more") ||
						strings.Count(got.String(), "[REDACTED]") != 1 {
						t.Fatalf("%d bytes, shift %d, %q: %s", n, shift, with, got)
					}
				}
			}
		}
	}
}

// TestBreaksHoldLittle: a flood of line breaks makes a Stream neither keep much nor slow.
func TestBreaksHoldLittle(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("a", 4000) + "b"
	for _, flood := range []string{"a\n", "\n", `\`, `a\n`, "a\\", `\\\\\\\n`, "a\n\n\n\n\n\n\n\n"} {
		s := of(secret).Stream(func(Clean) {})
		for range 2000 {
			if _, err := s.Write([]byte(strings.Repeat(flood, 50))); err != nil {
				t.Fatal(err)
			}
			if held := len(s.buf); held > (len(secret)+1)*(1+maxBreak)+utf8.UTFMax {
				t.Fatalf("%q: %d bytes are held", flood, held)
			}
			if kept := len(s.folded.breaks); kept > len(secret)+1 {
				t.Fatalf("%q: %d breaks are kept", flood, kept)
			}
		}
	}
}

// TestCutAtEveryPlace: what a text's cut end holds of a secret is masked from the fourth byte on.
func TestCutAtEveryPlace(t *testing.T) {
	t.Parallel()
	secret := long + "-and-a-longer-tail-so-that-it-has-more-than-48-bytes"
	forms := []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret)),
		wrap(base64.StdEncoding.EncodeToString([]byte(secret)), 19, "\n")}
	r := of(secret)
	for i, form := range forms {
		for n := range len(form) + 1 {
			text := "AAA " + form[:n]
			want := text
			if n >= minValue {
				want = "AAA [REDACTED]"
			}
			if i == 0 && n == len(form) {
				want = "AAA [REDACTED...ytes]"
			}
			got, hits := cutText(r, text)
			if got.String() != want && strings.TrimRight(got.String(), "\n") != want ||
				hits != strings.Count(want, "[") {
				t.Errorf("form %d, %d bytes: %d hits, %q", i, n, hits, got)
			}
			var live string
			s := r.Stream(func(c Clean) { live += c.String() })
			for _, b := range []byte(text) {
				_, _ = s.Write([]byte{b})
			}
			_ = s.Close()
			cut, more := cutText(r, live)
			if cut != got || s.Hits().Total()+more != hits {
				t.Errorf("form %d, %d bytes: the stream gives %q", i, n, live)
			}
		}
	}
}

// TestCutTellsNothingOfSealedValues: where an output ends is the script's choice, which doesn't
// hold the sealed value. A mask there would tell it, or its agent, that the value begins like that.
func TestCutTellsNothingOfSealedValues(t *testing.T) {
	t.Parallel()
	sealed, injected := "sealed-0123456789-value", "injected-9f8e7d6c5b4a-token"
	r := New([]Value{{Name: "A", Secret: app.NewSecret(sealed), Placeholder: "placeholder"},
		{Name: "B", Secret: app.NewSecret(injected)}})
	for _, form := range []string{sealed, base64.StdEncoding.EncodeToString([]byte(sealed)),
		hex.EncodeToString([]byte(sealed)), wrap(base64.StdEncoding.EncodeToString([]byte(sealed)), 8, "\n")} {
		for n := range len(form) - 3 { // base64 may have its padding yet to come
			if got, hits := cutText(r, "AAA "+form[:n]); got.String() != "AAA "+form[:n] || hits != 0 {
				t.Errorf("%q: %d hits, %q", form[:n], hits, got)
			}
		}
		if got, hits := cutText(r, "AAA "+form); hits != 1 || strings.Contains(got.String(), form) {
			t.Errorf("%q: %d hits, %q", form, hits, got)
		}
	}
	if got, hits := cutText(r, "AAA "+sealed+" "+injected[:6]); hits != 2 || strings.Contains(got.String(), sealed) ||
		strings.Contains(got.String(), "injec") {
		t.Errorf("%d hits, %q", hits, got)
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	c := Clean{strings.Repeat("é", 50) + "ab" + strings.Repeat("ü", 50)}
	if got := c.Ends(c.Len()); got != c {
		t.Errorf("whole: %s", got)
	}
	for n := range c.Len() {
		got := c.Ends(n).String()
		if len(got) > n || !utf8.ValidString(got) {
			t.Errorf("%d: %q", n, got)
		}
		if n > 60 && (!strings.HasPrefix(got, "éé") || !strings.HasSuffix(got, "üü") ||
			!strings.Contains(got, fmt.Sprintf("\n… %d bytes …\n", c.Len()-n))) {
			t.Errorf("%d: %q", n, got)
		}
	}
}
