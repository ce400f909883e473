package patterns

import (
	"encoding/json"
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

// TestLive writes every example of every rule in random pieces to a Stream. What people see while
// it comes must be what the whole would be.
func TestLive(t *testing.T) {
	t.Parallel()
	set, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	red := redact.New(nil, redact.Options{Rules: set.Find, Ahead: set.FindAhead})
	r := rand.New(rand.NewPCG(31, 32))
	for _, rule := range Rules() {
		for _, example := range append(rule.Found, rule.Ignored...) {
			for range 3 {
				text, secret := fillIn(example, r.IntN)
				text = "a line before\n" + text + "\nand one behind\n"
				want, _ := red.Text(text)
				live, _ := inPieces(red, text, r)
				// the end of several lines may be shown; and what stands before its mark
				if live != want.String() && !rule.Lines && rule.Back <= 8 {
					t.Errorf("%s: %q is shown as %q, and in the end as %q", rule.Name, text, live, want)
				}
				if left := longest(live, secret); left > 9 && rule.Back <= 8 {
					t.Errorf("%s: %q is shown as %q", rule.Name, text, live)
				}
			}
		}
	}
}

// longest returns how many bytes of a secret stand together in a text.
func longest(text, secret string) (n int) {
	for i := range secret {
		for i+n < len(secret) && strings.Contains(text, secret[i:i+n+1]) {
			n++
		}
	}
	return n
}

func inPieces(red *redact.Redactor, text string, r *rand.Rand) (live string, hits int) {
	var b strings.Builder
	s := red.Stream(func(c redact.Clean) { b.WriteString(c.String()) })
	for text != "" {
		n := min(len(text), 1+r.IntN(30))
		_, _ = s.Write([]byte(text[:n]))
		text = text[n:]
	}
	_ = s.Close()
	return b.String(), s.Hits().Total()
}

// TestLiveStaysLive: what can't become a secret is shown at once.
func TestLiveStaysLive(t *testing.T) {
	t.Parallel()
	set, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	var live strings.Builder
	s := redact.New(nil, redact.Options{Ahead: set.FindAhead}).Stream(func(c redact.Clean) { live.WriteString(c.String()) })
	for _, step := range []struct{ write, shown string }{
		{"40 % done", "40 % done"},
		{"\npassw", "\n"},
		{"ord", ""},
		{" reset\n", "password reset\n"},
		{"DB_PASSWORD=k3v8x1q7", "DB_"},
		{"w5z2\nnext", "PASSWORD=[REDACTED]\nnext"},
		{strings.Repeat("password ", 2000), strings.Repeat("password ", 2000)[:0]},
	} {
		before := live.Len()
		_, _ = s.Write([]byte(step.write))
		got := live.String()[before:]
		if step.shown != "" && got != step.shown {
			t.Errorf("after %.40q %q is shown, want %q", step.write, got, step.shown)
		}
		if len(step.write) > 10000 && len(got) < len(step.write)-9000 {
			t.Errorf("%d bytes are held back", len(step.write)-len(got))
		}
	}
	if s.Hits().Total() != 1 {
		t.Errorf("%v", s.Hits())
	}
}

func redactor(t testing.TB) *redact.Redactor {
	set, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	return redact.New(nil, redact.Options{Rules: set.Find, Ahead: set.FindAhead})
}

// Neither looks like a secret by itself.
const (
	besidePassword = "Tr0ub4dor-9x"
	besideToken    = "k3V8x1q7W5z2M9n4B6c0"
)

// TestResultIsJudgedWithItsKeys: what a name makes a secret is masked in a result as in a text,
// whether the name is a key, the first of a pair, or the head of a column.
func TestResultIsJudgedWithItsKeys(t *testing.T) {
	t.Parallel()
	r := redactor(t)
	for name, data := range map[string]string{
		"keys":                      `{"user": "anna", "password": "P", "access_token": "T", "env": {"AWS_SECRET_ACCESS_KEY": "T"}}`,
		"a list under a key":        `{"passwords": ["P"], "password": ["P", "P"]}`,
		"pairs":                     `[["user", "anna"], ["password", "P"], ["api_key", "T"]]`,
		"pairs as objects":          `[{"name": "DB_PASSWORD", "value": "P"}, {"key": "api_token", "value": "T"}, {"name": "user", "value": "anna"}]`,
		"a table":                   `{"columns": ["user", "password", "n"], "index": [0, 1], "data": [["anna", "P", 1], ["bob", "P", 2]]}`,
		"a table of two":            `{"columns": ["user", "password"], "data": [["anna", "P"], ["bob", "P"]]}`,
		"a table with its head":     `[["user", "password", "n"], ["anna", "P", 1], ["bob", "P", 2]]`,
		"a table with descriptions": `{"fields": [{"name": "user"}, {"name": "password"}, {"name": "n"}], "rows": [["anna", "P", 1]]}`,
		"a column":                  `{"user": ["anna", "bob"], "password": ["P", "P"]}`,
		"a column by row":           `{"user": {"0": "anna"}, "password": {"0": "P", "1": "P"}}`,
		"lists side by side":        `{"names": ["user", "password"], "values": ["anna", "P"]}`,
		"records":                   `{"rows": [{"user": "anna", "password": "P"}, {"user": "bob", "password": "P"}]}`,
		"deep":                      `{"a": [{"b": {"c": [[{"client_secret": "T"}]]}}]}`,
		"a header":                  `{"headers": {"Authorization": "Bearer T", "Accept": "text/html"}}`,
		"quotes":                    `{"password": "ab\"cd\"9x-P"}`,
	} {
		data = strings.NewReplacer(`"P"`, `"`+besidePassword+`"`, `"T"`, `"`+besideToken+`"`, "Bearer T",
			"Bearer "+besideToken, "9x-P", besidePassword).Replace(data)
		if name == "a list under a key" {
			data = strings.Replace(data, `"passwords": ["`+besidePassword+`"], `, "", 1)
		}
		out, err := r.Execution(redact.Execution{Result: json.RawMessage(data)})
		if err != nil {
			t.Fatal(name, err)
		}
		got := out.Result.String()
		if strings.Contains(got, besidePassword) || strings.Contains(got, besideToken) {
			t.Errorf("%s: %s", name, got)
		}
		for _, kept := range []string{"anna", "bob", "user", "password", "text/html"} {
			if strings.Count(got, kept) != strings.Count(data, kept) {
				t.Errorf("%s: %s has no more %s", name, got, kept)
			}
		}
	}
}

// TestEveryChannelHasTheSameMasks: the same data is masked in what is printed, asked and raised as
// it is in a result.
func TestEveryChannelHasTheSameMasks(t *testing.T) {
	t.Parallel()
	r := redactor(t)
	data := fmt.Sprintf(`{"user": "anna", "password": %q, "access_token": %q, "env": {"AWS_SECRET_ACCESS_KEY": %[2]q}}`,
		besidePassword, besideToken)
	pairs := fmt.Sprintf(`[("user", "anna"), ("password", %q), ("access_token", %q)]`, besidePassword, besideToken)
	for name, text := range map[string]string{"JSON": data, "repr": strings.ReplaceAll(data, `"`, "'"), "pairs": pairs,
		"repr of pairs": strings.ReplaceAll(pairs, `"`, "'")} {
		x := redact.Execution{Stdout: redact.Output{Raw: []byte(text)}, Stderr: redact.Output{Raw: []byte(text)}, Error: text}
		if name == "JSON" {
			x.Result = json.RawMessage(text)
		}
		out, err := r.Execution(x)
		if err != nil {
			t.Fatal(err)
		}
		prompt, _ := r.Text(text)
		shown := []string{out.Stdout.String(), out.Stderr.String(), out.Error.String(), prompt.String()}
		if out.Result != nil {
			shown = append(shown, out.Result.String())
		}
		for i, got := range shown {
			if strings.Contains(got, besidePassword) || strings.Contains(got, besideToken) || !strings.Contains(got, "anna") {
				t.Errorf("%s, channel %d: %s", name, i, got)
			}
		}
	}
}

// TestOrdinaryResultsStay: names that say nothing, and values that are no secrets, stay as they
// are.
func TestOrdinaryResultsStay(t *testing.T) {
	t.Parallel()
	r := redactor(t)
	for _, data := range []string{
		`{"next_page_token":"k3V8x1q7W5z2M9n4B6c0","password":"required","passwords":3,"token_count":12}`,
		`{"columns":["city","total"],"data":[["Hamburg",1],["Aachen",2]],"index":[0,1]}`,
		`[["password","string"],["user","string"]]`,
		`{"id":"k3V8x1q7W5z2M9n4B6c0","key":"orders","value":"297037.5"}`,
	} {
		out, err := r.Execution(redact.Execution{Result: json.RawMessage(data)})
		if err != nil || out.Result.String() != data {
			t.Errorf("%s became %s, %v", data, out.Result, err)
		}
	}
}

// BenchmarkResult is the final pass over a result of ten thousand rows.
func BenchmarkResult(b *testing.B) {
	r := redactor(b)
	data := []byte(`[` + strings.Repeat(`{"id":12345,"name":"An ordinary name","amount":"1234.50"},`, 10000) + `null]`)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := r.Execution(redact.Execution{Result: data}); err != nil {
			b.Fatal(err)
		}
	}
}
