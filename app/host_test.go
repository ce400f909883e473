package app

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseHost(t *testing.T) {
	cases := map[string]struct {
		name  string
		ports []int
		short string // String
	}{
		"api.example.com":              {"api.example.com", []int{80, 443}, "api.example.com"},
		"  API.Example.COM. ":          {"api.example.com", []int{80, 443}, "api.example.com"},
		"db.example.com:5432":          {"db.example.com", []int{5432}, "db.example.com:5432"},
		"db.example.com.:5432":         {"db.example.com", []int{5432}, "db.example.com:5432"},
		"db:6379,5432,5432":            {"db", []int{5432, 6379}, "db:5432,6379"},
		"x.example.com:443,80":         {"x.example.com", []int{80, 443}, "x.example.com"},
		"*.example.com":                {"*.example.com", []int{80, 443}, "*.example.com"},
		"*.Example.com.:8443":          {"*.example.com", []int{8443}, "*.example.com:8443"},
		"{DB_HOST}:5432":               {"{DB_HOST}", []int{5432}, "{DB_HOST}:5432"},
		"{DB_HOST}":                    {"{DB_HOST}", []int{80, 443}, "{DB_HOST}"},
		"192.0.2.7:22":                 {"192.0.2.7", []int{22}, "192.0.2.7:22"},
		"[2001:DB8:0:0::1]:443":        {"2001:db8::1", []int{443}, "[2001:db8::1]:443"},
		"[::1]":                        {"::1", []int{80, 443}, "[::1]"},
		"_srv.example.com":             {"_srv.example.com", []int{80, 443}, "_srv.example.com"},
		"xn--bcher-kva.example":        {"xn--bcher-kva.example", []int{80, 443}, "xn--bcher-kva.example"},
		"1.2.3.4.example.com":          {"1.2.3.4.example.com", []int{80, 443}, "1.2.3.4.example.com"},
		"127.0.0.1.nip.io:1":           {"127.0.0.1.nip.io", []int{1}, "127.0.0.1.nip.io:1"},
		"h:65535":                      {"h", []int{65535}, "h:65535"},
		strings.Repeat("a", 63) + ".b": {strings.Repeat("a", 63) + ".b", []int{80, 443}, strings.Repeat("a", 63) + ".b"},
	}
	for text, want := range cases {
		t.Run(text, func(t *testing.T) {
			h, err := ParseHost(text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Host{Name: want.name, Ports: want.ports}, h); diff != "" || h.String() != want.short {
				t.Errorf("short form %q, %s", h, diff)
			}
		})
	}
}

// hostileNames could mean different hosts to different parts.
var hostileNames = map[string]string{
	"empty": "", "dot": ".", "only dots": "..", "two dots at the end": "example.com..", "dot in front": ".example.com",
	"empty label": "a..example.com",
	"NUL":         "evil.example\x00.google.com", "NUL at the end": "example.com\x00", "line break": "example.com\n.evil",
	"carriage return": "a\rb.example", "tab": "a\tb.example", "DEL": "a\x7f.example",
	"percent": "example%2ecom", "percent NUL": "evil%00.google.com", "at": "user@example.com", "space": "exa mple.com",
	"slash": "example.com/path", "backslash": `example.com\@evil`,
	"question mark": "example.com?x", "hash": "evil.com#.example.com", "semicolon": "a;b.example", "comma": "a,b",
	"quote": "a'b.example", "bracket": "a[b].example", "star inside": "a.*.example.com", "star in label": "a*.example.com",
	"decimal address": "2130706433", "hex address": "0x7f000001", "hex parts": "0x7f.1", "hex last": "127.0.0.0x1",
	"bare 0x": "0x", "octal parts": "0177.0.0.1", "two parts": "127.1", "three parts": "127.0.1",
	"five parts":   "1.2.3.4.5",
	"leading zero": "127.0.0.01", "too large": "256.1.1.1", "dot after address": "127.0.0.1.", "upper hex": "0X7F.0X1",
	"number label last": "example.1",
	"umlaut":            "bücher.example", "Kelvin sign": "goo\u212Ale.com", "dotted I": "g\u0130thub.com",
	"full stop of Asia": "example\u3002com", "full width": "ｅxample.com", "full width dot": "example．com",
	"long s": "\u017Fecure.example", "Cyrillic": "аpple.com",
	"soft hyphen": "exa\u00admple.com", "zero width": "exa\u200bmple.com", "not UTF-8": "exa\xffmple.com",
	"circled digits": "①②⑦.0.0.1",
	"mapped":         "::ffff:10.0.0.1", "mapped in hex": "::ffff:a00:1", "zone": "fe80::1%eth0",
	"zone on mapped": "::ffff:1.2.3.4%1", "dash in front": "-a.example", "dash at the end": "a-.example",
	"label of 64": strings.Repeat("a", 64) + ".example", "254 characters": strings.Repeat("a.", 126) + "bc",
	"very long": strings.Repeat("a.", 1<<16) + "b",
}

func TestHostileNamesAreRefused(t *testing.T) {
	for what, name := range hostileNames {
		t.Run(what, func(t *testing.T) {
			if got, err := CanonicalName(name); CodeOf(err) != CodeInvalidField || got != "" {
				t.Errorf("CanonicalName took %q as %q, %v", name, got, err)
			}
			for _, text := range []string{name, name + ":443", "*." + name, "[" + name + "]:443"} {
				h, err := ParseHost(text)
				// White space around an entry is not part of it.
				if err == nil && strings.TrimSpace(text) == text && !strings.Contains(what, "comma") {
					t.Errorf("ParseHost took %q as %v", text, h)
				}
				if err != nil && len(err.Error()) > 400 {
					t.Errorf("the error has %d bytes", len(err.Error()))
				}
			}
			if h, err := (Host{Name: name, Ports: []int{443}}).Canonical(); err == nil {
				t.Errorf("Canonical took %q as %v", name, h)
			}
		})
	}
}

func TestHostileEntriesAreRefused(t *testing.T) {
	for what, text := range map[string]string{
		"scheme": "https://example.com", "path": "example.com:443/x", "no port": "example.com:", "no port, IPv6": "[::1]:",
		"port 0": "h:0", "port 65536": "h:65536", "negative": "h:-1", "plus": "h:+443", "zero in front": "h:0443",
		"words": "h:https", "space": "h: 443", "range": "h:1-100", "comma last": "h:443,", "comma first": "h:,443",
		"Arabic digits": "h:٤٤٣", "huge": "h:99999999999999999999", "two colons": "h:1:2", "bare IPv6": "2001:db8::1",
		"open bracket": "[::1", "after bracket": "[::1]x:1",
		"bracketed name": "[example.com]:443", "bracketed IPv4": "[192.0.2.1]:443",
		"17 ports": "h:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
		"star":     "*", "star dot": "*.", "all of com": "*.com", "star address": "*.192.0.2.1", "star IPv6": "[*.::1]:1",
		"two stars": "*.*.example.com", "star and key": "*.{KEY}",
		"open key": "{KEY", "empty key": "{}", "key and more": "{KEY}.example.com", "key of odd name": "{A-B}",
		"key in key": "{{KEY}}", "key and line break": "{KEY\n}",
	} {
		t.Run(what, func(t *testing.T) {
			if h, err := ParseHost(text); CodeOf(err) != CodeInvalidField {
				t.Errorf("ParseHost took %q as %v, %v", text, h, err)
			}
		})
	}
	for what, h := range map[string]Host{
		"protocol": {Name: "a.example", Protocol: "ftp"}, "port": {Name: "a.example", Ports: []int{443, 0}},
		"reason":      {Name: "a.example", Reason: "a\x00b"},
		"long reason": {Name: "a.example", Reason: strings.Repeat("x", MaxDescription+1)},
	} {
		got, err := h.Canonical()
		if CodeOf(err) != CodeInvalidField || cmp.Diff(Host{}, got) != "" {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
}

func TestMatches(t *testing.T) {
	cases := []struct {
		entry, name string
		port        int
		want        bool
	}{
		{"api.example.com", "api.example.com", 443, true},
		{"api.example.com", "api.example.com", 80, true},
		{"api.example.com", "api.example.com", 22, false},
		{"api.example.com", "example.com", 443, false},
		{"api.example.com", "x.api.example.com", 443, false},
		{"api.example.com", "api.example.com.evil", 443, false},
		{"*.example.com", "a.example.com", 443, true},
		{"*.example.com", "a.b.example.com", 443, true},
		{"*.example.com", "example.com", 443, false},
		{"*.example.com", ".example.com", 443, false},
		{"*.example.com", "evilexample.com", 443, false},
		{"*.example.com", "example.com.evil", 443, false},
		{"*.example.com:8443", "a.example.com", 443, false},
		{"{KEY}:1", "{KEY}", 2, false},
		{"[2001:db8::1]:1", "2001:db8::1", 1, true},
	}
	for _, c := range cases {
		h, err := ParseHost(c.entry)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Matches(c.name, c.port); got != c.want {
			t.Errorf("%s matches %s:%d: %v", c.entry, c.name, c.port, got)
		}
	}
	if (Host{}).Matches("", 443) {
		t.Error("the empty entry matches")
	}
}

func TestKeyReference(t *testing.T) {
	for text, want := range map[string]string{"{DB_HOST}:5432": "DB_HOST", "db.example.com": "", "*.example.com": ""} {
		h, err := ParseHost(text)
		if err != nil || h.KeyReference() != want {
			t.Errorf("%s: %q, %v", text, h.KeyReference(), err)
		}
	}
}

// checkHost holds for every text that ParseHost takes.
func checkHost(t interface{ Fatalf(string, ...any) }, text string) {
	h, err := ParseHost(text)
	if err != nil {
		if CodeOf(err) != CodeInvalidField || cmp.Diff(Host{}, h) != "" {
			t.Fatalf("ParseHost(%q): %v, %v", text, h, err)
		}
		return
	}
	again, err := ParseHost(h.String())
	if err != nil || !cmp.Equal(h, again) {
		t.Fatalf("%q is %#v, its short form %q is %#v, %v", text, h, h.String(), again, err)
	}
	if strings.ContainsFunc(strings.Trim(h.Name, "{}"),
		func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`%@/\[]{}"'#?`, r) }) {
		t.Fatalf("%q became the name %q", text, h.Name)
	}
	if h.Private || h.Reason != "" || h.Protocol != "" || len(h.Ports) == 0 {
		t.Fatalf("%q became %#v", text, h)
	}
}

func checkName(t interface{ Fatalf(string, ...any) }, name string) {
	canonical, err := CanonicalName(name)
	if err != nil {
		if canonical != "" {
			t.Fatalf("CanonicalName(%q): %q, %v", name, canonical, err)
		}
		return
	}
	if again, err := CanonicalName(canonical); err != nil || again != canonical {
		t.Fatalf("%q is %q, which is %q, %v", name, canonical, again, err)
	}
	if !strings.EqualFold(strings.TrimSuffix(name, "."), canonical) && !strings.Contains(canonical, ":") {
		t.Fatalf("%q was repaired to %q", name, canonical)
	}
	if canonical != strings.ToLower(canonical) || strings.HasSuffix(canonical, ".") {
		t.Fatalf("%q is not canonical", canonical)
	}
}

func TestHostProperties(t *testing.T) {
	label := rapid.StringMatching(`[A-Za-z0-9_]([A-Za-z0-9_-]{0,8}[A-Za-z0-9_])?`)
	odd := rapid.SampledFrom([]string{"", "*", ".", "..", "{A}", "{", "[::1]", "::1", "\x00", "%", "@", " ", "0x7f",
		"127.0.0.1", "ü", "\u212a", "::ffff:1.2.3.4", "[", "]", ":"})
	part := rapid.OneOf(label, label, odd)
	rapid.Check(t, func(r *rapid.T) {
		name := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(r, "labels"), ".")
		checkName(r, name)
		checkHost(r, name+rapid.SampledFrom([]string{"", ":443", ":80,443", ":5432,1", ":", ".:1"}).Draw(r, "ports"))
	})
}

func FuzzParseHost(f *testing.F) {
	for _, name := range hostileNames {
		if len(name) < 300 {
			f.Add(name)
		}
	}
	for _, text := range []string{"api.example.com", "*.example.com:8443", "{KEY}:5432", "[2001:db8::1]:443,80",
		"192.0.2.1:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkHost(t, text) })
}

func FuzzCanonicalName(f *testing.F) {
	for _, name := range hostileNames {
		if len(name) < 300 {
			f.Add(name)
		}
	}
	f.Add("API.Example.COM.")
	f.Fuzz(func(t *testing.T, name string) { checkName(t, name) })
}

func TestAnAddressOfAPageIsNoHost(t *testing.T) {
	for _, text := range []string{"https://api.example.com/v1", "https://api.example.com", "api.example.com/v1",
		"https://api.example.com:8443/v1"} {
		if _, err := ParseHost(text); err == nil || !strings.Contains(err.Error(), "leave out the scheme and the path") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
