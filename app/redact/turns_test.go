package redact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

// TestTurnsAreThoseOfTheRedactedText: cut by them, the redacted streams give the order back, and no
// cut falls into a mask.
func TestTurnsAreThoseOfTheRedactedText(t *testing.T) {
	t.Parallel()
	secret := "swordfish-0123456789-abcdefgh"
	r := New([]secrets.Resolved{{Key: "KEY", Secret: app.NewSecret(secret)}})
	for name, test := range map[string]struct {
		turns [][2]string // what each stream printed, by turns
		want  []string
	}{
		"plain": {[][2]string{{"one\n", "two\n"}, {"three\n", "four\n"}},
			[]string{"one\n", "two\n", "three\n", "four\n"}},
		"a secret": {[][2]string{{"a " + secret + " b\n", "warn\n"}, {"c\n", ""}},
			[]string{"a [REDACTED...efgh] b\n", "warn\n", "c\n"}},
		"cut within the secret": {[][2]string{{"a " + secret[:9], "warn\n"}, {secret[9:] + " b\n", ""}},
			[]string{"a [REDACTED...efgh]", "warn\n", " b\n"}},
		"cut within a character": {[][2]string{{"a\xc3", "warn\n"}, {"\xa9b\n", ""}}, []string{"a", "warn\n", "éb\n"}},
		"not a character": {[][2]string{{"a\xffb\n", "warn\n"}, {"c\n", ""}},
			[]string{"a\uFFFDb\n", "warn\n", "c\n"}},
	} {
		var out, errs strings.Builder
		var turns []int
		for _, t := range test.turns {
			out.WriteString(t[0])
			errs.WriteString(t[1])
			turns = append(turns, len(t[0]), len(t[1]))
		}
		clean, err := r.Execution(Execution{Stdout: Output{Raw: []byte(out.String())},
			Stderr: Output{Raw: []byte(errs.String())}, Turns: turns})
		if err != nil {
			t.Fatal(err)
		}
		texts, done := [2]string{clean.Stdout.String(), clean.Stderr.String()}, [2]int{}
		var got []string
		for i, n := range clean.Turns {
			if piece := texts[i%2][done[i%2] : done[i%2]+n]; piece != "" {
				got = append(got, piece)
			}
			done[i%2] += n
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if done != [2]int{len(texts[0]), len(texts[1])} {
			t.Errorf("%s: %v of %d and %d are told", name, done, len(texts[0]), len(texts[1]))
		}
	}
}
