package app

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCheckValue(t *testing.T) {
	cases := map[string]struct {
		mode  Mode
		value string
		ok    bool
	}{
		"plain":                    {ModePlain, "x", true},
		"empty":                    {ModePlain, "", false},
		"injected, 4":              {ModeInjected, "abcd", true},
		"injected, 3":              {ModeInjected, "abc", false},
		"injected, 3 of two bytes": {ModeInjected, "äöü", false},
		"injected, 4 of two bytes": {ModeInjected, "äöüß", true},
		"injected, spaces around":  {ModeInjected, "   abc   ", false},
		"injected, only spaces":    {ModeInjected, "        ", false},
		"sealed, 16":               {ModeSealed, strings.Repeat("s", 16), true},
		"sealed, 15":               {ModeSealed, strings.Repeat("s", 15), false},
		"sealed, 15 and a space":   {ModeSealed, strings.Repeat("s", 15) + " ", false},
		"sealed, 8 wide":           {ModeSealed, strings.Repeat("ß", 8), false},
		"sealed, only spaces":      {ModeSealed, strings.Repeat(" ", 16), false},
		"largest":                  {ModeInjected, strings.Repeat("s", MaxValue), true},
		"too large":                {ModePlain, strings.Repeat("s", MaxValue+1), false},
		"NUL":                      {ModeInjected, "abcd\x00efgh", false},
		"not UTF-8":                {ModeInjected, "abcd\xff", false},
		"line breaks":              {ModeInjected, "-----BEGIN X-----\nabcd\n", true},
	}
	for name, c := range cases {
		err := CheckValue(c.mode, NewSecret(c.value))
		if (err == nil) != c.ok || (err != nil && CodeOf(err) != CodeInvalidField) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && len(c.value) > 3 && strings.Contains(err.Error(), c.value) {
			t.Errorf("%s: the error tells the value: %v", name, err)
		}
	}
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"API_KEY": true, "_x": true, "a1": true, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false,
		"": false, "1A": false, "A-B": false, "A B": false, "A.B": false, "A\n": false, "\nA": false, "Ä": false,
		"A\x00": false, "{A}": false, "../A": false,
	} {
		if err := CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestCheckText(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "plain text": true, "lines\nand\ttabs\r\n": true, "ö 😀 שלום": true, strings.Repeat("x", 30): true,
		strings.Repeat("x", 31): false, strings.Repeat("ä", 16): false,
		"NUL\x00": false, "bell\a": false, "escape\x1b[31m": false, "DEL\x7f": false, "C1\u0085": false,
		"not UTF-8 \xff":    false,
		"turned \u202etxet": false, "isolate \u2066": false, "embed \u202a": false, "mark \u200f": false,
		"zero\u200bwidth": false, "tag\U000e0041": false, "filler \u3164": false, "👩‍💻 ❤️ 1️⃣": true, "می‌خواهم": true,
		"a\u200db": false,
	} {
		if err := CheckText("description", text, 30); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseMode(t *testing.T) {
	for _, m := range []Mode{ModeSealed, ModeInjected, ModePlain} {
		if got, err := ParseMode(string(m)); got != m || err != nil {
			t.Errorf("%s: %s, %v", m, got, err)
		}
	}
	for _, text := range []string{"", "Sealed", " plain", "none", strings.Repeat("x", 1<<20)} {
		got, err := ParseMode(text)
		if got != "" || CodeOf(err) != CodeInvalidField || len(err.Error()) > 200 {
			t.Errorf("%.20q: %s, %.300v", text, got, err)
		}
	}
}

func TestHasValue(t *testing.T) {
	for want, all := range map[bool][]Credential{true: {{Version: 1}, {Source: SourceVault}},
		false: {{}, {Source: SourceLocal}}} {
		for _, c := range all {
			if c.HasValue() != want {
				t.Errorf("%+v: %v", c, !want)
			}
		}
	}
}

func TestClip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text, n := rapid.String().Draw(r, "text"), rapid.IntRange(0, 40).Draw(r, "n")
		got := Clip(text, n)
		if len(text) <= n {
			if got != text {
				r.Fatalf("%q was changed to %q", text, got)
			}
			return
		}
		kept, cut := strings.CutSuffix(got, "…")
		if !cut || len(kept) > n || len(kept) <= n-utf8.UTFMax || !strings.HasPrefix(text, kept) || !utf8.ValidString(got) {
			r.Fatalf("Clip(%q, %d) is %q", text, n, got)
		}
	})
}

// TestCheckTextNamesTheCharacter: direction marks are named like other invisible characters.
func TestCheckTextNamesTheCharacter(t *testing.T) {
	for char, want := range map[string]string{"\u202e": "U+202E", "\u2066": "U+2066", "\u200b": "U+200B",
		"\x1b": "control character"} {
		if err := CheckText("reason", "a"+char+"b", 100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", char, err)
		}
	}
}

// A key file keeps its last line break; a password's is dropped.
func TestTypedValueKeepsTheEndOfAFile(t *testing.T) {
	const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n-----END OPENSSH PRIVATE KEY-----\n"
	for typed, want := range map[string]string{
		"password\n": "password", "password\r\n": "password", "password\n\n": "password", "password": "password",
		key: key, strings.TrimSuffix(key, "\n"): strings.TrimSuffix(key, "\n"), key + "\n": key + "\n",
		"a\r\nb\r\n": "a\r\nb\r\n", "\n": "", "": "",
	} {
		if got := TypedValue(typed).Reveal(); got != want {
			t.Errorf("%q became %q", typed, got)
		}
	}
}
