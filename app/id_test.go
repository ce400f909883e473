package app

import (
	"regexp"
	"strings"
	"testing"
)

func TestIDs(t *testing.T) {
	const text = `[0-9a-hjkmnp-tv-z]`
	makers := map[string]struct {
		make  func() string
		shape string
	}{
		"profile":      {NewProfileID, `^ark_` + text + `{26}$`},
		"execution":    {NewExecutionID, `^exec_` + text + `{26}$`},
		"admin token":  {func() string { return NewAdminToken().Reveal() }, `^atk_` + text + `{32}$`},
		"session":      {func() string { return NewSessionToken().Reveal() }, `^` + text + `{32}$`},
		"pairing code": {NewPairingCode, `^` + text + `{3}-` + text + `{3}$`},
		"row":          {NewID, `^` + text + `{26}$`},
	}
	for name, m := range makers {
		shape, seen, letters := regexp.MustCompile(m.shape), map[string]bool{}, map[rune]bool{}
		for range 500 {
			id := m.make()
			if !shape.MatchString(id) {
				t.Fatalf("%s: %q", name, id)
			}
			seen[id] = true
			for _, r := range id[strings.LastIndex(id, "_")+1:] {
				letters[r] = true
			}
		}
		delete(letters, '-')
		if (name != "pairing code" && len(seen) != 500) || len(seen) < 490 || len(letters) != 32 {
			t.Errorf("%s: %d different of 500, %d letters", name, len(seen), len(letters))
		}
	}
}

func TestIDShapes(t *testing.T) {
	for id, want := range map[string]bool{
		NewProfileID(): true, "ark_7f3x9kw2m4p": true, "ark_" + strings.Repeat("a", 64): true,
		"ark_" + strings.Repeat("a", 65): false, "ark_1234567": false, "ark_12345678": true,
		"": false, "ark_": false, "ARK_7f3x9kw2m4p": false, "ark_7F3X9KW2M4P": false, "ark_7f3x9kw2m4\n": false,
		"ark_7f3x9kw2-m4": false, "exec_7f3x9kw2m4p": false, " ark_7f3x9kw2m4p": false, "ark_7f3x9kw2m4\x00": false,
		"ark_../../etc/x": false,
	} {
		if IsProfileID(id) != want {
			t.Errorf("IsProfileID(%q) is %v", id, !want)
		}
	}
	for id, want := range map[string]bool{NewExecutionID(): true, "exec_a1b2c3d4": true, "exec_a1b2c3d": false,
		NewProfileID(): false} {
		if IsExecutionID(id) != want {
			t.Errorf("IsExecutionID(%q) is %v", id, !want)
		}
	}
}
