package patterns

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// rounds is how often every example is tried, each time with other random characters.
const rounds = 40

func picker(of string) func(int) int {
	h := fnv.New64a()
	h.Write([]byte(of))
	return rand.New(rand.NewPCG(h.Sum64(), 1)).IntN
}

func all(t testing.TB, c Config) *Set {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTable tries every rule's examples, alone and beside all others, in the middle of several
// texts.
func TestTable(t *testing.T) {
	t.Parallel()
	everything := all(t, Config{})
	names := map[string]bool{}
	for _, r := range Rules() {
		if names[r.Name] || r.About == "" || len(r.Keywords) == 0 || len(r.Found) == 0 || len(r.Ignored) == 0 {
			t.Errorf("%s: its name or description is missing or not its own, or it has no examples", r.Name)
		}
		names[r.Name] = true
		alone := all(t, Config{Off: others(r.Name)})
		for _, example := range r.Found {
			pick := picker(example)
			for range rounds {
				text, secret := fillIn(example, pick)
				for _, around := range []string{"%s", "a line\n%s\nanother", "\t%s ", "%[1]s\n%[1]s"} {
					whole := fmt.Sprintf(around, text)
					if got := secretsIn(alone, whole); !onlyThese(got, secret, strings.Count(whole, text)) {
						t.Errorf("%s: in %q it finds %q, want %q", r.Name, whole, got, secret)
					}
					if !covered(everything, whole, secret) {
						t.Errorf("%s: with all rules, %q is not masked in %q: %q", r.Name, secret, whole,
							secretsIn(everything, whole))
					}
				}
				if t.Failed() {
					break
				}
			}
		}
		for _, example := range r.Ignored {
			text, _ := fillIn(example, picker(example))
			if got := secretsIn(alone, text); len(got) > 0 {
				t.Errorf("%s: it finds %q in %q", r.Name, got, text)
			}
		}
	}
}

func others(name string) (off []string) {
	for _, r := range Rules() {
		if r.Name != name {
			off = append(off, r.Name)
		}
	}
	return off
}

func secretsIn(s *Set, text string) (found []string) {
	for _, m := range s.Find(text) {
		found = append(found, text[m.Start:m.End])
	}
	return found
}

func onlyThese(got []string, want string, n int) bool {
	return len(got) == n && !slices.ContainsFunc(got, func(s string) bool { return s != want })
}

// covered reports whether no character of the first occurrence of secret is left.
func covered(s *Set, text, secret string) bool {
	start := strings.Index(text, secret)
	for _, m := range s.Find(text) {
		if m.Start <= start && start+len(secret) <= m.End {
			return true
		}
	}
	return false
}
