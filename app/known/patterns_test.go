package known

import (
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/match"
)

func texts(value string) (out []string) {
	for _, p := range Patterns(value) {
		out = append(out, p.Text)
	}
	return out
}

func TestPatterns(t *testing.T) {
	const key = "sk_live_4vR9tXw2LmQ8bN6z=="
	pem := "-----BEGIN KEY-----\nMIIBVAIBADANBgkqhkiG\n9w0BAQEFAASCAT4wggE6\n-----END KEY-----"
	for value, want := range map[string][]string{
		key:                         {key, key[:len(key)-1], key[1:], strings.TrimRight(key, "="), Reverse(key)},
		" " + key + "\n":            {key},
		pem:                         {pem, "MIIBVAIBADANBgkqhkiG", "9w0BAQEFAASCAT4wggE6", strings.ReplaceAll(pem, "\n", " ")},
		"anna:" + key:               {key},
		"ab12cd34ef56ab78cd90ef":    {"2cd34ef56ab78cd90ef"},
		"pässwörd-sehr-geheim":      {"PÄSSWÖRD-SEHR-GEHEIM", "p\xe4ssw\xf6rd-sehr-geheim", "pa\u0308sswo\u0308rd-sehr-geheim"},
		"Grüße-an-alle-zusammen":    {"GRÜSSE-AN-ALLE-ZUSAMMEN"},
		strings.Repeat(key, 100):    {strings.Repeat(key, 100), strings.Repeat(key, 10)[1:match.MaxBlock]},
		"deploy@corp.example:pw7Kq": {"deploy@corp.example:pw7Kq"},
	} {
		got := texts(value)
		for _, text := range want {
			if !slices.Contains(got, text) {
				t.Errorf("%.40q is not recognised by %.40q", value, text)
			}
		}
		for i, text := range got {
			if len(text) < MinPart || slices.Contains(got[:i], text) && !Patterns(value)[i].Reversed {
				t.Errorf("%.40q is looked for by %q", value, text)
			}
		}
	}
}
