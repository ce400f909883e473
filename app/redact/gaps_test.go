package redact

import (
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/computclaw/airlock/app/redact/encodings"
)

const (
	foreignSecret = "päRJPZk漢d3NRDnö9"
	hexSecret     = "3278713932654364464268514972714f" // of few different characters
	spacedSecret  = "(IH9!)S$jPtVGc<Jx |QYwz"
	keySecret     = "-----BEGIN PRIVATE " +
		"KEY-----\nOuc2dV255jPr2ABwSXSiyrnkt/20lTYQbYi7DGofFXdnxqieQms0GkllYhN33Rmt\n2SNU7ghA2jZlk3UUOp7cPxM38URUqm/psah+gG61\n-----END PRIVATE KEY-----"
)

func wideBase64(order binary.AppendByteOrder, s string) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return base64.StdEncoding.EncodeToString(out)
}

func base85(s string) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(s)))
	return string(out[:ascii85.Encode(out, []byte(s))])
}

// masks fails unless nothing of the form is left, and everything around it.
func masks(t *testing.T, secret, form string) {
	t.Helper()
	got, hits := of(secret).Text("a line before\n" + form + "\nand one behind\n")
	if want := "a line before\n[REDACTED]\nand one behind\n"; hits.Total() == 0 || got.String() != want {
		t.Errorf("%q became %q", form, got)
	}
}

func TestUTF16Base64(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{foreignSecret, hexSecret, spacedSecret, "x" + strings.Repeat("漢", 6) + "a1b2c3",
		"漢字仮名交文密鍵語錠", "пароль-недоступен-никому"} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			masks(t, secret, wideBase64(order, secret))
			masks(t, secret, wideBase64(order, encodings.Reverse(secret)))
			masks(t, secret, base64.StdEncoding.EncodeToString([]byte(wideBase64(order, secret))))
			masks(t, secret, hex.EncodeToString([]byte(wideBase64(order, secret))))
		}
	}
}

func TestROT13ReversedPercent(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{spacedSecret, keySecret} {
		for _, form := range []string{url.QueryEscape(encodings.Reverse(encodings.ROT13(secret))),
			url.QueryEscape(encodings.ROT13(encodings.Reverse(secret)))} {
			got, hits := of(secret).Text("x=" + form + "\n")
			if hits.Total() == 0 || !hidden("x="+form+"\n", got.String(), secret) {
				t.Errorf("%q became %q", form, got)
			}
		}
	}
}

// TestSplitEncoded cuts an encoded value anywhere into two elements of a result.
func TestSplitEncoded(t *testing.T) {
	t.Parallel()
	var some sampler
	forms := map[string]string{
		"hex":           hex.EncodeToString([]byte(hexSecret)),
		"hex itself":    hexSecret,
		"UTF-16 base64": wideBase64(binary.LittleEndian, hexSecret),
		"dots":          strings.Join(strings.Split(base64.StdEncoding.EncodeToString([]byte(hexSecret)), ""), "."),
		"dots in \\u":   strings.Join(strings.Split(eachRune(hexSecret, `\u%04x`), ""), "."),
	}
	for name, form := range forms {
		for at := len(form) / 4; at < len(form)*3/4; at++ {
			if some.skip() {
				continue
			}
			data, err := json.Marshal([]string{"rows " + form[:at], form[at:] + "\nmore"})
			if err != nil {
				t.Fatal(err)
			}
			got, hits, err := resultOf(of(hexSecret), data)
			if err != nil || hits.Total() == 0 || !hidden(string(data), got.String(), form) {
				t.Errorf("%s, cut at %d: %q became %q, %v", name, at, data, got, err)
				break
			}
		}
	}
}

// TestLongASCII85: the machine knows only the beginning of a long value in base 85.
func TestLongASCII85(t *testing.T) {
	t.Parallel()
	form := base85(keySecret)
	masks(t, keySecret, hex.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(form)))))
	for name, form := range map[string]string{"alone": form, "in itself twice": base85(base85(form)),
		"in ROT13 in base64": base64.StdEncoding.EncodeToString([]byte(encodings.ROT13(form)))} {
		got, hits := of(keySecret).Text("x " + form + "\n")
		if hits.Total() == 0 || !hidden("x "+form+"\n", got.String(), form) {
			t.Errorf("%s: %q became %q", name, form, got)
		}
	}
}

// TestShortBase85WithoutFigures: a form with neither a figure nor a sign was taken for a word.
func TestShortBase85WithoutFigures(t *testing.T) {
	t.Parallel()
	// reversed, then once and twice in base 85 as Python writes it
	for _, form := range []string{"GBQOmHEKmhbul+H", "M?z6gZAe8+ZD?Y3Y%53"} {
		masks(t, "371uFEj51E22", form)
	}
}

// TestLongBase85BesideSigns: what is in base 85 may be long and a sign stand behind it, which is
// one of its digits. It was read twice, to the end without its beginning, and from the beginning
// without its end.
func TestLongBase85BesideSigns(t *testing.T) {
	t.Parallel()
	const secret = "526e63595846435148374e534831486b"
	form := base85(eachRune(numbersOf(secret, "%08b", " "), `\u%04x`))
	got, hits := of(secret).Text("outlet : " + form + ")")
	if hits.Total() == 0 || strings.Contains(got.String(), form[:100]) {
		t.Errorf("%d bytes became %q", len(form), got)
	}
}

// TestLongBase32: likewise in base32.
func TestLongBase32(t *testing.T) {
	t.Parallel()
	inner := base64.StdEncoding.EncodeToString([]byte(base32.StdEncoding.EncodeToString([]byte(keySecret))))
	form := strings.Trim(strconv.Quote(wrap(inner, 76, "\r\n")), `"`)
	got, hits := of(keySecret).Text("x " + form + "\n")
	if hits.Total() == 0 || !hidden("x "+form+"\n", got.String(), form) {
		t.Errorf("%q became %q", form, got)
	}
}

// TestHexListBesideDigits: what follows the last number may be a digit, too.
func TestHexListBesideDigits(t *testing.T) {
	t.Parallel()
	form := strings.ReplaceAll(fmt.Sprintf("% x", eachRune(spacedSecret, `\u%04x`)), " ", "-")
	got, hits := of(spacedSecret).Text("x " + form + "13] and more\n")
	if want := "x [REDACTED]13] and more\n"; hits.Total() == 0 || len(got.String()) > len(want) {
		t.Errorf("%q became %q", form, got)
	}
}

// TestASCII85Beside: what stands beside a text in base 85 may belong to its digits, too, and then
// its last group is misread.
func TestASCII85Beside(t *testing.T) {
	t.Parallel()
	inner := map[string]string{
		"hex":         hex.EncodeToString([]byte("user:" + hexSecret)),
		"base64":      base64.StdEncoding.EncodeToString([]byte(`{"k": "` + hexSecret + `"}`)),
		"percent":     percentEach(hexSecret, "%%%02x"),
		"spaced":      strings.Join(strings.Split(hexSecret, ""), "-"),
		"ROT13":       encodings.ROT13(hexSecret),
		"ascii85":     base85(hexSecret),
		"HTML":        eachRune(hexSecret, "&#%d;"),
		"hex list":    strings.TrimSpace(fmt.Sprintf("% x", hexSecret)),
		"nothing odd": hexSecret,
	}
	red := of(hexSecret)
	for name, form := range inner {
		for _, outer := range []string{base85(form), encodings.Reverse(base85(form)), encodings.ROT13(base85(form))} {
			for _, beside := range []string{"", "the", "412", "quest=", "<td>Bar</td>"} {
				for _, text := range []string{"x " + outer + beside + " and so on and on and on\n",
					"x and so on and on " + beside + outer + " y\n", "and on " + beside + "\n" + outer + "\n" + beside +
						" and so on and on and on\n"} {
					got, hits := red.Text(text)
					if hits.Total() == 0 || !hidden(text, got.String(), hexSecret) {
						t.Errorf("%s beside %q: %q became %q", name, beside, text, got)
					}
				}
			}
		}
	}
}

// TestASCII85WithoutSigns: some texts in base 85 have hardly one of the signs that tell it from
// words.
func TestASCII85WithoutSigns(t *testing.T) {
	t.Parallel()
	const form = `5]/Q#7Q==e:1$%V74U#P1N,ls3_M1S1cd6BCJQs+D.cp21,EEK3\iNOEB.l9;_U6cCFDe8D,bLs3\t_(=un>kCNVpZEDB(jD_h`
	const secret = "72693049426365667839554936676d5a" // in base64 in base 85, which is such a one, in base 85
	if got, hits := of(secret).Text("x=" + form + ")412 rows\n"); hits.Total() == 0 ||
		!hidden(form, got.String(), secret) {
		t.Errorf("%q became %q", form, got)
	}
}

// TestSpacedWithDashes: a value may begin with what looks like the sign between its characters, or
// end with it.
func TestSpacedWithDashes(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{keySecret, "a1-S4kT9zQx7-----", "_-_9Jw4mZ1kQ8r2T_"} {
		for _, sign := range []string{".", "-", "_"} {
			if strings.Contains(secret, sign) {
				continue // the one that is the sign and the one that isn't look the same
			}
			for _, text := range []string{encodings.ROT13(encodings.Reverse(secret)), secret} {
				form := strings.Join(strings.Split(text, ""), sign)
				got, hits := of(secret).Text("x (" + form + ") y\n")
				if hits.Total() == 0 || !hidden("x ("+form+") y\n", got.String(), form) {
					t.Errorf("%q became %q", form, got)
				}
			}
		}
	}
	form := hex.EncodeToString([]byte(strings.ReplaceAll("0/76AAQ20BA5b<qG'8.G8SrK>;JU/DE*7-?0JlB^1N6H-G%X*D20Mt_", "",
		"_")[1:]))
	masks(t, "/1kTeTGudS4dvvyjImrIRknLpYp904J93pXevgAY5vU=", form)
}

// TestSoftBreakIsCut: an equals sign ends one element of a result, and the line break that makes it
// a soft one begins the next.
func TestSoftBreakIsCut(t *testing.T) {
	t.Parallel()
	inner := base64.StdEncoding.EncodeToString([]byte(hexSecret))
	for at := 8; at < len(inner)-8; at++ {
		form := inner[:at] + "=\r\n" + inner[at:]
		for cut := at; cut <= at+3; cut++ {
			data, err := json.Marshal([]string{"rows " + form[:cut], form[cut:] + "\nmore"})
			if err != nil {
				t.Fatal(err)
			}
			got, hits, err := resultOf(of(hexSecret), data)
			if err != nil || hits.Total() == 0 || !hidden(string(data), got.String(), inner) {
				t.Errorf("%q became %q, %v", data, got, err)
			}
		}
	}
}
