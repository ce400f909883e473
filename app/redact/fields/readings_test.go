package fields

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestReadings: what programs make of a value counts as it does itself, from 12 characters on and
// unless it is easy to guess.
func TestReadings(t *testing.T) {
	t.Parallel()
	const cookie = "s:" + opaque + ".qRs9+ab/xyz="
	login := "anna:" + sample + "." + opaque
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + opaque
	std, raw := base64.StdEncoding, base64.RawURLEncoding
	for name, c := range map[string]struct {
		value string
		want  []string
	}{
		"percent":               {url.QueryEscape(cookie), []string{cookie, opaque + ".qRs9+ab/xyz="}},
		"percent, twice":        {url.QueryEscape(url.QueryEscape(cookie)), []string{url.QueryEscape(cookie), cookie}},
		"percent, in a cookie":  {"sid=" + url.QueryEscape(cookie) + "; theme=dark", []string{url.QueryEscape(cookie), cookie}},
		"base64":                {std.EncodeToString([]byte(login)), []string{login, sample + "." + opaque}},
		"base64url, no padding": {raw.EncodeToString([]byte(login)), []string{login, sample + "." + opaque}},
		"base64, twice": {std.EncodeToString([]byte(std.EncodeToString([]byte(login)))),
			[]string{std.EncodeToString([]byte(login)), login, sample + "." + opaque}},
		"hex":               {hex.EncodeToString([]byte(opaque)), []string{opaque}},
		"JSON string":       {`"` + opaque + `\u002b\/x"`, []string{opaque + "+/x"}},
		"escaped":           {opaque + `\n` + opaque, []string{opaque + "\n" + opaque}},
		"quotes of a shell": {"'" + opaque + "'", []string{opaque}},
		"Basic":             {"Basic " + std.EncodeToString([]byte(login)), []string{std.EncodeToString([]byte(login)), login}},
		"another scheme":    {"SSWS " + opaque, []string{opaque}},
		"a parameter":       {"Token token=" + opaque, []string{opaque}},
		"a JWT":             {jwt, []string{opaque}},
		"Bearer with a JWT": {"Bearer " + jwt, []string{jwt, opaque}},
		"user:password":     {"some one:correct horse battery", []string{"correct horse battery"}},
	} {
		got := texts(Of(c.value))
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q lacks %q", name, got, want)
			}
		}
	}
}

// TestShortReadingsDontCount: what is too short or too easy to guess is no reading, nor is what
// decodes to no text.
func TestShortReadingsDontCount(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"p%40ss%2Dword", "'short-text'", `"short text"`,
		base64.StdEncoding.EncodeToString([]byte("short-text9")), "first second", "some words in a row",
		base64.StdEncoding.EncodeToString([]byte(strings.Repeat("ab", 8))),
		base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x01\xff", 12)))} {
		if p := Of(value); !p.One || p.Fields != nil {
			t.Errorf("%s: %+v", value, p)
		}
	}
}

// TestHoleLenientReadings: an escape that one program doesn't know, or a percent sign that is none, made
// that the rest was not decoded.
func TestHoleLenientReadings(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`'k9Zq\'7xWm2Lp4vT'`:                                          "k9Zq'7xWm2Lp4vT",
		`"k9Zq\'7xWm2Lp4vT"`:                                          "k9Zq'7xWm2Lp4vT",
		`"k9Zq\$7xWm2Lp4vT"`:                                          "k9Zq$7xWm2Lp4vT",
		`"k9Zq\/7xWm2\x41Lp4vT"`:                                      "k9Zq/7xWm2ALp4vT",
		"`k9Zq\\`7xWm2Lp4vT`":                                         "k9Zq`7xWm2Lp4vT",
		`k9Zq\'7xWm2\u0026Lp4vT`:                                      "k9Zq'7xWm2&Lp4vT",
		`"k9Zq\ud83d\ude007xWm2Lp4vT"`:                                "k9Zq\U0001f6007xWm2Lp4vT",
		"k9%2FZq7x%Wm2Lp4vT":                                          "k9/Zq7x%Wm2Lp4vT",
		"k9%2FZq7xW+Lp4vT100%":                                        "k9/Zq7xW Lp4vT100%",
		"k9Zq&amp;7xWm2Lp4vT":                                         "k9Zq&7xWm2Lp4vT",
		`\x6b395a7137785776324c703476542d39`:                          "k9Zq7xWv2Lp4vT-9",
		"app:x9Km://Q2vT7pLw4":                                        "x9Km://Q2vT7pLw4",
		"postgres://app:pw1://x9KmQ2v@db/app":                         "pw1://x9KmQ2v",
		"Authorization: GenieKey x9KmQ2vT7pLw4abc":                    "x9KmQ2vT7pLw4abc",
		"ewogICJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + opaque:          opaque,
		`{"a":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.` + opaque + `"}`: opaque,
	} {
		if got := texts(Of(value)); !slices.Contains(got, want) {
			t.Errorf("%s: %q, without %q", value, got, want)
		}
	}
}

// TestHoleDoubledQuotes: a value that is all in quotes has its own quotes twice.
func TestHoleDoubledQuotes(t *testing.T) {
	for value, read := range map[string]string{`'it''s-secret-key-9x'`: "it's-secret-key-9x", `"it""s-secret-key-9x"`: `it"s-secret-key-9x`,
		`'it'"'"'s-secret-key-9x'`: "it's-secret-key-9x", `'it'\''s-secret-key-9x'`: "it's-secret-key-9x"} {
		if fields := texts(Of(value)); !slices.Contains(fields, read) {
			t.Errorf("%s has %q", value, fields)
		}
	}
}
