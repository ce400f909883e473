package patterns

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app/redact"
)

func TestFindMergesAndNames(t *testing.T) {
	t.Parallel()
	s := all(t, Config{})
	jwt, _ := fillIn("eyJhbGciOi⟨s24⟩.eyJzdWIiOi⟨s60⟩.⟨s43⟩", picker("jwt"))
	key, _ := fillIn("ghp_⟨w36⟩", picker("key"))
	for name, c := range map[string]struct {
		text string
		want []redact.Match
	}{
		"the special rule names it": {"Authorization: Bearer " + jwt,
			[]redact.Match{match(22, 22+len(jwt), "jwt")}},
		"a URL with a vendor's key": {"https://x:" + key + "@h.example/",
			[]redact.Match{match(10, 50, "github")}},
		"two in a line": {key + " " + key,
			[]redact.Match{match(0, 40, "github"), match(41, 81, "github")}},
		"a key in an assignment": {"token=" + key, []redact.Match{match(6, 46, "github")}},
		"none":                   {"an ordinary line", nil},
		"nothing at all":         {"", nil},
		"only a keyword":         {"password", nil},
		"a keyword at the end":   {"x password=", nil},
		"not UTF-8":              {"\xff\xfe" + key + "\xff", []redact.Match{match(2, 42, "github")}},
		"masked before": {"password=[REDACTED] token=[REDACTED...abcd] Authorization: Bearer [SEALED:API]",
			nil},
		"an ignored value is searched on": {"password=token=" + key, []redact.Match{match(9, 55, "github")}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, s.Find(c.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := (*Set)(nil).Find(key); got != nil {
		t.Errorf("a nil Set finds %v", got)
	}
}

func match(start, end int, rule string) redact.Match {
	return redact.Match{Start: start, End: end, Rule: rule}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	key, _ := fillIn("ghp_⟨w36⟩", picker("key"))
	if got := all(t, Config{Off: []string{"github"}}).Find(key); got != nil {
		t.Errorf("a rule that is off finds %v", got)
	}
	acme := Rule{Name: "acme", Keywords: []string{"acme_"}, Regexp: `acme_[a-z]{8}`, Found: []string{"acme_abcdefgh"},
		Ignored: []string{"acme_x"}}
	want := []redact.Match{match(2, 15, "acme")}
	if diff := cmp.Diff(want, all(t, Config{Extra: []Rule{acme}}).Find("a acme_abcdefgh")); diff != "" {
		t.Error(diff)
	}
	with := func(change func(*Rule)) Config {
		r := acme
		change(&r)
		return Config{Extra: []Rule{r}}
	}
	for says, c := range map[string]Config{
		`no rule "githb"; did you mean github?`:     {Off: []string{"githb"}},
		`no rule "zzzzzz"`:                          {Off: []string{"zzzzzz"}},
		"two rules github":                          with(func(r *Rule) { r.Name = "github" }),
		"no name of a rule":                         with(func(r *Rule) { r.Name = "Acme key" }),
		"missing closing":                           with(func(r *Rule) { r.Regexp = "(" }),
		"matches the empty text":                    with(func(r *Rule) { r.Regexp = "x*" }),
		"has no example":                            with(func(r *Rule) { r.Found = nil }),
		`doesn't find its own example "acme_short"`: with(func(r *Rule) { r.Found = []string{"acme_short"} }),
		`doesn't find its own example "«acme_»abc`:  with(func(r *Rule) { r.Found = []string{"«acme_»abcdefgh"} }),
		`finds something in "acme_zyxwvuts"`:        with(func(r *Rule) { r.Ignored = []string{"acme_zyxwvuts"} }),
	} {
		_, err := New(c)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("the error is %v, it should say %q", err, says)
		}
	}
}

func TestHoleExampleWithWrongMarks(t *testing.T) {
	t.Parallel()
	for example, fits := range map[string]bool{"key «acme_abcdefgh» x": true, "acme_abcdefgh": true,
		"«key acme_abcdefgh»": false, "acme_«abcdefgh»": false, "«acme_abcdefgh» acme_zyxwvuts": false} {
		_, err := New(Config{Extra: []Rule{{Name: "acme", Keywords: []string{"acme_"}, Regexp: `acme_[a-z]{8}`,
			Found: []string{example}}}})
		if (err == nil) != fits {
			t.Errorf("%s: %v", example, err)
		}
	}
}

func TestHoleLongSecretsKeepTheirEnd(t *testing.T) {
	t.Parallel()
	s := all(t, Config{})
	for _, example := range []string{"ya29.⟨s1000⟩", "token=⟨b2000⟩", "password=\"⟨b2000⟩\"", "password='⟨b600⟩'",
		"postgres://u:⟨w600⟩@h", "postgres://u:⟨w300⟩,⟨w300⟩@h"} {
		text, _ := fillIn(example, picker(example))
		left := text
		for _, m := range slices.Backward(s.Find(text)) {
			left = left[:m.Start] + "•" + left[m.End:]
		}
		if len(left) > 30 {
			t.Errorf("%s: %d bytes stay: %.80s", example, len(left), left)
		}
	}
}

func TestHoleStandInsEndAsTheyBegin(t *testing.T) {
	t.Parallel()
	s := all(t, Config{})
	for _, text := range []string{`password="*Xk29sdf!aQ7"`, `password="{Xk29sdf!aQ7"`, `secret: "*Xk29sdfaQ7bR4mT8"`} {
		if len(s.Find(text)) != 1 {
			t.Errorf("%s is left", text)
		}
	}
	for _, text := range []string{`password="*secret1*"`, `password="{password1}"`, `password=f"{user}-pass1"`,
		`password: "{{vault('db1',`, "password: *db_password\n", "password: *defaults\n"} {
		if found := s.Find(text); len(found) > 0 {
			t.Errorf("%s: %v", text, found)
		}
	}
}

// cpu returns the processor time that the tests have used.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestLinear feeds every rule what could make it slow: its keywords, its examples and parts of
// them, over and over, with and without gaps. The yardstick is one plain expression over the same
// text, so that the race detector counts on both sides; and it is processor time, whatever else
// runs.
func TestLinear(t *testing.T) {
	s := all(t, Config{})
	plain := regexp.MustCompile(`[a-z]+[0-9]+x|[^ ]+ [0-9]y`)
	took := func(do func(string), text string) time.Duration {
		start := cpu()
		do(text)
		return cpu() - start
	}
	for _, r := range Rules() {
		var units []string
		for _, word := range r.Keywords {
			units = append(units, word, word+" ", "-"+word, word+"=", word+`":"`)
		}
		for _, example := range append(r.Found, r.Ignored...) {
			text, _ := fillIn(example, picker(example))
			units = append(units, text, text[:len(text)*2/3], text[:len(text)/2]+"-")
		}
		for _, unit := range units {
			const size = 8 << 10
			text := strings.Repeat(unit, size/len(unit))
			best := 1e9 // of a few, since others use the machine, too
			for try := 0; try < 5 && best > 60; try++ {
				yard := took(func(text string) { plain.FindAllStringIndex(text, -1) },
					strings.Repeat("an ordinary word and 17 ", size/24))
				best = min(best, float64(took(func(text string) { s.Find(text) }, text))/float64(max(yard, time.Microsecond)))
			}
			if best > 60 {
				t.Errorf("%s: %q takes %.0f times as long as one plain expression", r.Name, unit, best)
			}
		}
	}
}

// FuzzFind asserts that matches are in order, inside the text and apart.
func FuzzFind(f *testing.F) {
	for _, r := range Rules() {
		for _, example := range append(r.Found, r.Ignored...) {
			text, _ := fillIn(example, picker(example))
			f.Add(text)
		}
	}
	s := all(f, Config{})
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, m := range s.Find(text) {
			if m.Start < end || m.End <= m.Start || m.End > len(text) || m.Rule == "" {
				t.Fatalf("%v in a text of %d bytes, after one that ends at %d", m, len(text), end)
			}
			end = m.End
		}
	})
}

func BenchmarkFind(b *testing.B) {
	s := all(b, Config{})
	var keywords []string
	for _, r := range Rules() {
		keywords = append(keywords, r.Keywords...)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var log, mixed strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&log,
			"2026-11-20T12:%02d:%02d.%03dZ INFO  request %d served from the cache in %d ms, 200 OK, /reports/%d?page=%d\n",
			i/60%60, i%60, i%1000, i, i%97, i%31, i%7)
		fmt.Fprintf(&mixed, "%s %d %s: the value is %d\n", keywords[random.IntN(len(keywords))], i,
			keywords[random.IntN(len(keywords))], i)
	}
	binary := make([]byte, 1<<20)
	for i := range binary {
		binary[i] = byte(random.Uint32())
	}
	for name, text := range map[string]string{"log": log.String(), "keywords": mixed.String(), "binary": string(binary),
		"passwords": strings.Repeat("password=hunter2xyz9 ", 50_000)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				s.Find(text)
			}
		})
	}
}
