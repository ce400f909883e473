package swap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/known"
)

// A value with non-ASCII ends was missed without its first or last character, and in the other
// case.
func TestHoleG8OtherThanASCII(t *testing.T) {
	const value = "é-Schlüssel-für-den-Dienst-7Kq2mWö"
	cut := strings.TrimSuffix(value, "ö")
	for name, text := range map[string]string{
		"whole": value, "without the last character": cut, "without the first": strings.TrimPrefix(value, "é"),
		"capitals": strings.ToUpper(value), "capitals, without the last": strings.ToUpper(cut),
		"small":                        strings.ToLower(value),
		"capitals of other than ASCII": strings.NewReplacer("é", "É", "ü", "Ü", "ö", "Ö").Replace(value),
		"in Latin-1":                   "\xe9-Schl\xfcssel-f\xfcr-den-Dienst-7Kq2mW\xf6",
		"capitals in Latin-1":          "\xc9-SCHL\xdcSSEL-F\xdcR-DEN-DIENST-7KQ2MW\xd6",
		"capitals in UTF-16":           utf16Bytes(strings.ToUpper(value), false),
		"percent":                      percent(strings.ToUpper(value), "-", "%%%02x", "+"),
		"reversed":                     known.Reverse(value),
		"reversed, in capitals":        known.Reverse(strings.ToUpper(value)),
	} {
		if how := passes(t, value, "x="+text+"\n"); how != "" {
			t.Errorf("%s passes unchanged:%s", name, how)
		}
	}
}

// TestHoleSwallowedBeginning: a host took a value's first digits for an unknown escape's rest, and
// showed the others.
func TestHoleSwallowedBeginning(t *testing.T) {
	const value = "ab12cd34ef56ab78cd90ef12ab34cd56"
	for n := range 6 {
		if how := passes(t, value, "x=\u00ab"+value[n+1:]+"\n"); how != "" {
			t.Errorf("without the first %d characters it passes unchanged:%s", n+1, how)
		}
	}
	for value, part := range map[string]string{
		value: value[7:], "sk-12cd34ef56ab78cd90ef": "12cd34ef56ab78cd90ef", value[:20]: value[5:20],
	} {
		if how := passes(t, value, part); how == "" {
			t.Errorf("%q of %q is looked for, which makes guesses shorter", part, value)
		}
	}
}

// TestHoleTwoCapitals: in capitals, two letters stand for ß.
func TestHoleTwoCapitals(t *testing.T) {
	for _, text := range []string{"GRÜSSE-AN-PÄSSWÖRD-Ñ9X", "GRÜßE-AN-PÄSSWÖRD-Ñ9X"} {
		if how := passes(t, "Grüße-an-pässwörd-ñ9x", "x="+text+"\n"); how != "" {
			t.Errorf("%s passes unchanged:%s", text, how)
		}
	}
}

// The password of user:password was not searched alone if it had a blank or a brace.
func TestHoleG9PasswordOfBasic(t *testing.T) {
	for value, password := range map[string]string{
		"admin:G{7xKq9$vLm2@Rt5#Wz": "G{7xKq9$vLm2@Rt5#Wz", "admin:correct horse battery": "correct horse battery",
		"admin: after a blank": "after a blank", "postgres://app:Zt2{8Wp5 rT7y@db.example/x": "Zt2{8Wp5 rT7y",
		"admin:pässwörd-geheim": "p\xe4ssw\xf6rd-geheim", "redis://:pässwörd-geheim@db": "p\xe4ssw\xf6rd-geheim",
	} {
		if how := passes(t, value, `{"password": "`+password+"\"}\n"); how != "" {
			t.Errorf("%q passes unchanged:%s", password, how)
		}
	}
}

// A script can test guesses of parts. So no short part is searched, in no charset, and no member of
// a document.
func TestNoPartIsGuessable(t *testing.T) {
	for value, part := range map[string]string{
		"deploy@corp.example:pw7Kq9vLm2": "pw7Kq9vLm2", "administrator:pässwö": utf16Bytes("pässwö", false),
		`{"type": "service_account"}`: ` "service_account"}`, "first: one\nsecond: some more text": "one second: some",
	} {
		if how := passes(t, value, part); how == "" {
			t.Errorf("%q of %q is looked for", part, value)
		}
	}
}

// TestHoleG9OtherCharsets: answers in another charset, or with accents as characters, had a value in them.
func TestHoleG9OtherCharsets(t *testing.T) {
	const value = "admin:pässwörd-sehr-geheim-42 ß"
	const accents = "pa\u0308sswo\u0308rd-sehr-geheim-42 "
	for name, text := range map[string]string{
		"UTF-8 as Latin-1, in JSON":         `p\u00c3\u00a4ssw\u00C3\u00B6rd-sehr-geheim-42 \u00c3\u009f`,
		"Latin-1":                           "p\xe4ssw\xf6rd-sehr-geheim-42 \xdf",
		"accents as characters":             accents + "ß",
		"accents as characters, in JSON":    `pa\u0308sswo\u0308rd-sehr-geheim-42 \u00df`,
		"accents as characters, capitals":   "PA\u0308SSWO\u0308RD-SEHR-GEHEIM-42 ß",
		"accents as characters, and UTF-16": utf16Bytes(accents+"ß", false),
	} {
		if how := passes(t, value, `{"x": "`+text+"\"}\n"); how != "" {
			t.Errorf("%s passes unchanged:%s", name, how)
		}
	}
}

// TestHoleFieldsInAnswers: secrets inside values with fields passed in answers that name them
// decoded.
func TestHoleFieldsInAnswers(t *testing.T) {
	many := &strings.Builder{}
	for i := range 700 {
		fmt.Fprintf(many, "API_TOKEN_%d=%05dx9KmQ2vT7pLw\n", i, i)
	}
	for name, c := range map[string]struct{ value, part string }{
		"INI":             {"[db]\npassword = x9Km%%Q2vT7pLw4\nuser = anna\n", "x9Km%Q2vT7pLw4"},
		".env":            {"A=1\nDB_PASSWORD=\"x9Km\\`Q2vT7pLw4\"\n", "x9Km`Q2vT7pLw4"},
		"a word's part":   {"Authorization: GenieKey x9KmQ2vT7pLw4abc", "x9KmQ2vT7pLw4abc"},
		"the 700th field": {many.String(), "00699x9KmQ2vT7pLw"},
	} {
		if how := passes(t, c.value, `{"x": "`+c.part+"\"}\n"); how != "" {
			t.Errorf("%s passes%s", name, how)
		}
	}
}
