package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/derived"
	"github.com/computclaw/airlock/app/redact/encodings"
)

const holeSecret = "k3V8x1q7W5z2M9n4B6c0"

func gzipped(s, name string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name = name
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.Bytes()
}

func zlibbed(s string) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.Bytes()
}

func bytewise(data []byte, format string) string {
	var b strings.Builder
	for _, c := range data {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func isHidden(t *testing.T, name, form string) {
	t.Helper()
	text := "a line before\nvalue: " + form + "\nand one behind\n"
	got, hits := of(holeSecret).Text(text)
	if hits.Total() == 0 || !hidden(text, got.String(), form) {
		t.Errorf("%s: %q became %q", name, text, got)
	}
}

// TestGzipWithALongName: a file name in the header is no reason not to look behind it.
func TestGzipWithALongName(t *testing.T) {
	t.Parallel()
	isHidden(t, "name of 5000", base64.StdEncoding.EncodeToString(gzipped(holeSecret, strings.Repeat("n", 5000))))
}

// TestCompressedInNumbersIsOneStep: compressed data counts with what it is written in, in numbers
// and escapes as in base64.
func TestCompressedInNumbersIsOneStep(t *testing.T) {
	t.Parallel()
	decimals := func(data []byte) string { return bytewise(data, "%d, ") }
	escapes := func(data []byte) string { return bytewise(data, `\x%02x`) }
	for name, form := range map[string]string{
		"numbers in escapes": escapes(zlibbed(decimals(zlibbed(holeSecret)))),
		"escapes in numbers": decimals(gzipped(escapes(zlibbed(holeSecret)), "")),
		"base32 in numbers in percents": bytewise(
			zlibbed(decimals(gzipped(base32.StdEncoding.EncodeToString(zlibbed(holeSecret)), ""))), "%%%02x"),
		"numbers in octal":  bytewise([]byte(decimals(gzipped(holeSecret, ""))), "%03o "),
		"numbers in groups": bytewise([]byte(decimals(gzipped(holeSecret, ""))), "%03d"),
	} {
		isHidden(t, name, form)
	}
}

// TestBzip2: Go can't write it; this is what Python's bz2.compress makes of the value.
func TestBzip2(t *testing.T) {
	t.Parallel()
	const form = "QlpoOTFBWSZTWaVA3sEAAAePgH/gEAIBgAgJIFAgACKAANHihTCaaA0xGKBPkk3GA6gl8XckU4UJClQN7BA="
	data, err := base64.StdEncoding.DecodeString(form)
	if err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string]string{
		"base64": form, "hex": hex.EncodeToString(data), "base32": base32.StdEncoding.EncodeToString(data),
		"base85": base85(string(data)), "decimal": bytewise(data, "%d, "),
		"reversed in hex": hex.EncodeToString([]byte(encodings.Reverse(form))),
	} {
		isHidden(t, name, form)
	}
}

// TestQuotesAndUTF16: what the proof doesn't make, alone and in another encoding.
func TestQuotesAndUTF16(t *testing.T) {
	t.Parallel()
	const secret = `k3V8x'1q7W"5z2M9$4B6c0`
	little, big := encodings.UTF16(secret)
	for _, form := range map[string]string{
		"shell":              strings.ReplaceAll(secret, "'", `'\''`),
		"shell, both quotes": strings.ReplaceAll(secret, "'", `'"'"'`), "SQL": strings.ReplaceAll(secret, "'", "''"),
		"CSV": strings.ReplaceAll(secret, `"`, `""`), "UTF-16, little end": little, "UTF-16, big end": big,
	} {
		masks(t, secret, form)
		masks(t, secret, base64.StdEncoding.EncodeToString([]byte(form)))
		masks(t, secret, hex.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(form)))))
	}
}

// TestCompressedThenTurned: compressed data counts as one step with the code that it is in, also if
// that is turned round and in another code. For base 85 that isn't promised.
func TestCompressedThenTurned(t *testing.T) {
	t.Parallel()
	for name, inner := range map[string]string{
		"base64": base64.StdEncoding.EncodeToString(zlibbed(holeSecret)),
		"hex":    hex.EncodeToString(zlibbed(holeSecret)),
		"base32": base32.StdEncoding.EncodeToString(zlibbed(holeSecret)),
	} {
		for turn, turned := range map[string]string{"reversed": encodings.Reverse(inner),
			"ROT13": encodings.ROT13(inner)} {
			isHidden(t, name+", "+turn, base64.StdEncoding.EncodeToString([]byte(turned)))
		}
	}
}

// TestBase32InLowerCase is how host names have it.
func TestBase32InLowerCase(t *testing.T) {
	t.Parallel()
	form := strings.ToLower(base32.StdEncoding.EncodeToString([]byte(holeSecret)))
	got, _ := stream(t, of(holeSecret), "https://"+form+".example.com/\n")
	if got != "https://[REDACTED].example.com/\n" {
		t.Errorf("a host name became %q", got)
	}
}

// TestNumbersOfTwoBasesInROT13: the marks of octal and binary numbers are the letters that ROT13
// makes of each other.
func TestNumbersOfTwoBasesInROT13(t *testing.T) {
	t.Parallel()
	isHidden(t, "octal", encodings.ROT13(bytewise([]byte(holeSecret), "0o%o, ")))
	isHidden(t, "binary", encodings.ROT13(bytewise([]byte(holeSecret), "0b%b, ")))
}

// TestListBesideLetters: in joined text the last number of a list may have what follows directly
// behind it.
func TestListBesideLetters(t *testing.T) {
	t.Parallel()
	list := strings.TrimSuffix(bytewise([]byte(holeSecret), "%d, "), ", ")
	isHidden(t, "list", list+"and more")
	for n := range 3 {
		isHidden(t, "list in base64",
			wrap(base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat(" ", n)+list)), 20, "\n    ")+"\nand and")
	}
}

// TestCompressedBase85WithFewSigns: nothing but its signs tells compressed data in base 85 from
// words.
func TestCompressedBase85WithFewSigns(t *testing.T) {
	t.Parallel()
	const form = "ABzY8000000RIHQ0Sy2k48%Z71iCeEX9WKiIHtBS$mLbcX}brQTKEG10RR8L5EKm{0000"
	if got, _ := of("4b527979474c4e597936766b444b5047").Text("value: " + form + "\n"); strings.Contains(got.String(),
		form) {
		t.Errorf("%q became %q", form, got)
	}
}

// TestNumbersBetweenWords: a word that stands before every number is no end of the list.
func TestNumbersBetweenWords(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"chr(%d)+", "CHAR(%d)||", "wchr(%d) & ", "chr(0x%02x)."} {
		isHidden(t, format, bytewise([]byte(holeSecret), format))
	}
}

// TestLongValueInGroups: a value of which the machine knows only the beginning is masked to its
// end, also in groups of hex digits.
func TestLongValueInGroups(t *testing.T) {
	t.Parallel()
	var long string
	for i := range 40 {
		long += fmt.Sprint("k", i*7919, "V")
	}
	var groups []string
	for code := hex.EncodeToString([]byte(long)); code != ""; code = code[min(8, len(code)):] {
		groups = append(groups, code[:min(8, len(code))])
	}
	got, _ := of(long).Text("value: " + strings.Join(groups, "-") + "\nand behind\n")
	if want := "value: [REDACTED]\nand behind\n"; got.String() != want {
		t.Errorf("became %q", got)
	}
}

// TestCodesInGroups: what is written in groups of hex digits may be an encoding itself.
func TestCodesInGroups(t *testing.T) {
	t.Parallel()
	for _, inner := range []string{base64.StdEncoding.EncodeToString([]byte("u:" + holeSecret)),
		encodings.Reverse(holeSecret), string(zlibbed(holeSecret + holeSecret))} {
		code, groups := hex.EncodeToString([]byte(inner)), []string(nil)
		for ; len(code) > 8; code = code[8:] {
			groups = append(groups, code[:8])
		}
		isHidden(t, "groups", strings.Join(append(groups, code), "-"))
	}
}

// TestNoTextTakesForever: what these texts cost grew with the square of their length, or without
// any bound: what is dear is refused.
func TestNoTextTakesForever(t *testing.T) {
	t.Parallel()
	const size = 64 << 10
	heads := func(n int, more string) []byte {
		return []byte(strings.Repeat("\x78\x9c\x00\x02\x00\xfd\xff", n) + "\x78\x9c" +
			strings.Repeat(more, size/len(more)))
	}
	for name, text := range map[string]string{
		"heads of bzip2": base64.StdEncoding.EncodeToString(
			[]byte(strings.Repeat("BZh91AY&SY01", 2*size/12))),
		"heads of zlib before blocks of no text": hex.EncodeToString(heads(4000, emptyBlocks())),
	} {
		if got, _ := of(holeSecret).Text(text); !strings.Contains(got.String(), maskUnchecked) {
			t.Errorf("%s: all was looked at", name)
		}
	}
}

// TestLongRunsAreWalkedOnce: a run with a value in every line is as long as all of them.
func TestLongRunsAreWalkedOnce(t *testing.T) {
	t.Parallel()
	root := &derived.View{Text: []byte(base64.StdEncoding.EncodeToString([]byte(strings.Repeat(holeSecret+" ", 1000))))}
	in := &inspection{root: root}
	for at := 0; at+4 < len(root.Text); at += 28 {
		if lo, hi := in.token(at, at+4); lo != 0 || hi != len(root.Text) ||
			in.last != (derived.Window{From: 0, To: len(root.Text)}) {
			t.Fatalf("at %d: %d to %d, remembered %v", at, lo, hi, in.last)
		}
	}
}

// emptyBlocks are eight blocks of deflate that make their own Huffman codes and hold nothing.
func emptyBlocks() string {
	var bits []byte
	put := func(v, n int) {
		for i := range n {
			bits = append(bits, byte(v>>i&1))
		}
	}
	lengths := map[int]int{18: 1, 1: 2, 0: 2}
	for range 8 {
		put(2<<1, 3+5+5)
		put(14, 4)
		for _, c := range []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1} {
			put(lengths[c], 3)
		}
		put(127<<1, 8) // 138 zeros
		put(107<<1, 8) // 118 zeros
		put(3, 2)      // the end of the block
		put(3, 2)
		put(0, 1)
	}
	out := make([]byte, len(bits)/8)
	for i, b := range bits {
		out[i/8] |= b << (i % 8)
	}
	return string(out)
}

// TestListsWithAnyWordBetween: the word between the numbers of a list had to end in a letter that
// is no hex digit, as chr does and byte doesn't, and numbers had to stand near each other, as they
// don't in columns. A word without hex digits was taken for signs, of which there may be few, even
// where it stood between all of them.
func TestListsWithAnyWordBetween(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"C9LDeaNn9AvV3EnDxWcG", "nPUXpPtuapruvtLnbmQV"} {
		for _, between := range []string{")+byte(", "}, {'value': ", " code ", " red ", "), np.uint8(", ", use ",
			"}, {\"n\": ", "},\n  {\"position\": ", "</li>\n<li>", "\n minor ", " ::::::: ", "          ",
			"\t\t\t\t\t\t\t\t", "\n\n\n          "} {
			for _, verb := range []string{"%d", "%08b", "%b", "%03o", "%02x"} {
				for _, text := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))} {
					var numbers []string
					for _, c := range []byte(text) {
						numbers = append(numbers, fmt.Sprintf(verb, c))
					}
					form := strings.Join(numbers, between)
					if strings.Contains(between, "red") && verb == "%02x" {
						continue // its end is a number itself
					}
					out, _ := of(secret).Text("x " + between + form + " y")
					if left := out.String(); strings.Contains(left, form[len(form)/4:len(form)/2]) ||
						strings.Contains(left, form[len(form)/2:len(form)*3/4]) {
						t.Errorf("%s between %s: %q", between, verb, left)
					}
				}
			}
		}
	}
}

// An HTTP client that reads UTF-8 as Latin-1, as Python's requests does where no charset is named,
// made a value with other than ASCII unrecognisable in the output.
func TestHoleG9MisreadUTF8(t *testing.T) {
	const value = "pässwÜrd-Zt2Lm8-très-löng-42xQ"
	wide := make([]rune, 0, len(value))
	for _, b := range []byte(value) {
		wide = append(wide, rune(b))
	}
	quoted := fmt.Sprintf("%+q", string(wide))
	for name, text := range map[string]string{
		"Latin-1": string(wide), "Windows-1252": strings.ReplaceAll(string(wide), "\u009c", "\u0153"),
		"escaped": quoted, "base64": base64.StdEncoding.EncodeToString([]byte(string(wide))),
	} {
		if got, hits := of(value).Text("x = " + text); hits.Total() == 0 {
			t.Errorf("%s: %q is not masked", name, got)
		}
	}
}

// What a value decodes to was masked nowhere, whoever held it: a cookie as it is meant, the login in
// base64, what follows a scheme.
func TestHoleG10Readings(t *testing.T) {
	t.Parallel()
	login := base64.StdEncoding.EncodeToString([]byte("anna:correcthorse9battery"))
	for name, c := range map[string]struct{ value, text string }{
		"cookie": {"s%3AaBcDeFgHiJkLmNoP.qRsTuVwXyZ0123456789%2BabcdEFGH%3D", "s:aBcDeFgHiJkLmNoP.qRsTuVwXyZ0123456789+abcdEFGH="},
		"base64": {login, "correcthorse9battery"}, "Basic": {"Basic " + login, "correcthorse9battery"},
		"Bearer": {"Bearer aBcDeFgHiJkLmNoPqRsTuVwXyZ01", "aBcDeFgHiJkLmNoPqRsTuVwXyZ01"},
		"SSWS":   {"SSWS 00aBcDeFgHiJkLmNoPqRs", "00aBcDeFgHiJkLmNoPqRs"},
		"quoted": {`"aBcDeFgHiJkLm\"NoPqRs"`, `aBcDeFgHiJkLm"NoPqRs`},
	} {
		for mode, v := range map[string]Value{"injected": {}, "sealed": {Placeholder: "airlock_sealed_0a1b2c3d4e5f"},
			"superseded": {Unheld: true, Anonymous: true}} {
			v.Name, v.Secret = "KEY", app.NewSecret(c.value)
			if got, hits := New([]Value{v}).Text("it is " + c.text + "\n"); hits.Total() != 1 || strings.Contains(got.String(), c.text[3:]) {
				t.Errorf("%s, %s: %q, %+v", name, mode, got, hits)
			}
		}
	}
}

// Values of other letters than those of ASCII were shown in title case, and those of short lines with
// other line breaks.
func TestHoleG10CaseAndLines(t *testing.T) {
	t.Parallel()
	const lines = "short line1\nshort line2\nshort 3"
	for value, texts := range map[string][]string{
		"пароль-секрет-длинный": {"Пароль-Секрет-Длинный", "пАРОЛЬ-секРЕТ-длинный"},
		"Пароль-Секрет-Длинный": {"пароль-секрет-длинный", "ПАРОЛЬ-секрет-длинный"},
	} {
		for _, text := range texts {
			if got, hits := of(value).Text("it is " + text); hits.Total() != 1 || got.String() != "it is [REDACTED]" {
				t.Errorf("%q: %q", text, got)
			}
		}
	}
	for _, own := range []string{"\n", "\r\n"} {
		for _, between := range []string{"\n", "\r\n", "<br>", "<br/>\n", "<br />\r\n", " ", `\n`, `\r\n`} {
			value := Value{Name: "KEY", Secret: app.NewSecret(strings.ReplaceAll(lines, "\n", own)), Unheld: true}
			text := strings.ReplaceAll(lines, "\n", between)
			if got, hits := New([]Value{value}).Text("it is " + text); hits.Total() == 0 || strings.Contains(got.String(), "short") {
				t.Errorf("%q for %q: %q", between, own, got)
			}
		}
	}
}

// TestHoleTwoCapitals: in capitals, two letters stand for ß.
func TestHoleTwoCapitals(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"GRÜSSE-AN-PÄSSWÖRD-Ñ9X", "GRÜßE-AN-PÄSSWÖRD-Ñ9X"} {
		if got, n := keyOf("Grüße-an-pässwörd-ñ9x").Text("it is " + text); len(n) == 0 || strings.Contains(got.String(), "PÄSS") {
			t.Errorf("%s became %q", text, got)
		}
	}
}
