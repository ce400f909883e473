package app

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseReference(t *testing.T) {
	for text, want := range map[string]Reference{
		"secret/data/oracle#password":     {"secret/data/oracle", "password"},
		"kv/team a/db#user.name":          {"kv/team a/db", "user.name"},
		"database/creds/reports#username": {"database/creds/reports", "username"},
		"secret/data/über#größe":          {"secret/data/über", "größe"},
	} {
		got, err := ParseReference(text)
		if err != nil || got != want {
			t.Errorf("%s: %s %v", text, cmp.Diff(want, got), err)
		}
		if got.String() != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
}

// TestReferenceCantReachVaultsOwn: no reference reads Airlock's token, or another path than shown.
func TestReferenceCantReachVaultsOwn(t *testing.T) {
	for _, text := range []string{
		"", "#", "#password", "secret", "secret#x", "secret/data/oracle", "secret/data/oracle#", "secret/data#a#b",
		"/secret/data/oracle#password", "v1/secret/data/oracle#password", "https://vault/v1/secret#x",
		"secret//oracle#password", "secret/data/#password",
		"auth/token/lookup-self#id", "sys/raw/core#value", "secret/../auth/token/lookup-self#id", "secret/./x#y",
		"secret/data/a?version=1#x", "secret/%2e%2e/auth#id", "secret/data/a\n#x", "secret/data/a#x\x00", `secret\data#x`,
		"secret/data/\u202eabc#x", "secret/\u00a0a#x",
		"secret/" + strings.Repeat("a", MaxReference) + "#x", "secret/\xff/a#b",
	} {
		if got, err := ParseReference(text); CodeOf(err) != CodeInvalidField {
			t.Errorf("%q was read as %q: %v", text, got, err)
		}
	}
}

func FuzzParseReference(f *testing.F) {
	f.Add("secret/data/oracle#password")
	f.Add("sys/../secret#x")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseReference(text)
		if err != nil {
			return
		}
		if again, err := ParseReference(r.String()); err != nil || again != r || r.String() != text {
			t.Errorf("%q is not itself again: %q %v", text, again, err)
		}
		if strings.HasPrefix(r.Path, "sys/") || strings.HasPrefix(r.Path, "auth/") || strings.Contains(r.Path+"/", "/../") {
			t.Errorf("%q got through", text)
		}
	})
}
