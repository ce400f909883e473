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
