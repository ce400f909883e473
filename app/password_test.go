package app

import (
	"strings"
	"testing"
)

func TestCheckPassword(t *testing.T) {
	for password, ok := range map[string]bool{
		"":                             false,
		"short":                        false,
		"eleven char":                  false,
		"twelve chars":                 true,
		"zwölf Zeichen":                true,
		"aaaaaaaaaaaaaaaa":             false,
		"abababababab":                 false,
		"123456789012":                 false,
		"abcdefghijklmn":               false,
		"nmlkjihgfedcba":               false,
		"qwertyuiopasdf":               false,
		"Password1234":                 false,
		"PASSWORD!!!!":                 false,
		"changeme12345":                false,
		"monkeymonkey1":                false,
		"dashdotdashdot":               false,
		"correct horse battery staple": false,
		"Ada Lovelace1":                false,
		"ada lovelace!":                false,
		"Ada Lovelace walks at noon":   true,
		"plum orbit tractor":           true,
		"gkz3-9qwx-77ah":               true,
		"\xff\xfe\xfd_not_text_at_all": false,
		strings.Repeat("lo ng", 205):   false,
	} {
		err := CheckPassword("Ada Lovelace", NewSecret(password))
		if (err == nil) != ok {
			t.Errorf("%q: %v", Clip(password, 40), err)
		}
		if err != nil && len(password) > 8 && strings.Contains(err.Error(), password) {
			t.Errorf("%q: the error repeats it", password)
		}
	}
}

func TestCheckPersonName(t *testing.T) {
	for name, want := range map[string]string{
		"Ada": "Ada", "  Ada   Lovelace ": "Ada Lovelace", "": "", " \t": "", "Ada\x00": "", "Ada\u202e": "",
		"Ada\u200b": "", "\u200bAda": "", "Ada\u3164": "", "A\u034fda": "", "Ada\ufe0f": "", "Ada\u2800": "", "Ada\u200f": "",
		strings.Repeat("x", 65): "", "Ça Ñandú": "Ça Ñandú",
	} {
		got, err := CheckPersonName(name)
		if (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	if FoldName(" ADA  lovelace") != FoldName("Ada Lovelace") {
		t.Error("case and spaces tell people apart")
	}
}
