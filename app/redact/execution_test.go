package redact

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

// TestExecution cuts one value into pieces that go different ways.
func TestExecution(t *testing.T) {
	t.Parallel()
	const secret = "kP9s-Zx81qLmN4vT7w2"
	a, b := secret[:9], secret[9:]
	cases := map[string]struct {
		x    Execution
		hits map[string]string // channel to encoding
	}{
		"stdout, stderr": {Execution{Stdout: Output{Raw: []byte("so " + a)},
			Stderr: Output{Raw: []byte(b + " on")}}, map[string]string{"stdout": "split", "stderr": "split"}},
		"stderr, stdout": {Execution{Stdout: Output{Raw: []byte(b + "\n")},
			Stderr: Output{Raw: []byte("x\n" + a + "\n")}, Turns: []int{0, 12}},
			map[string]string{"stdout": "split", "stderr": "split"}},
		"elements": {Execution{Result: json.RawMessage(`["` + a + `","` + b + `"]`)},
			map[string]string{"result": "split"}},
		"values": {Execution{Result: json.RawMessage(`{"k1":"` + a + `","k2":"` + b + `"}`)},
			map[string]string{"result": "split"}},
		"keys": {Execution{Result: json.RawMessage(`{"` + a + `":1,"` + b + `":"some other text"}`)},
			map[string]string{"result": "split"}},
		"numbers": {Execution{Result: json.RawMessage(strings.ReplaceAll(fmt.Sprint([]byte(secret)), " ",
			","))}, map[string]string{"result": "list"}},
		"raw in every channel": {Execution{Stdout: Output{Raw: []byte(secret)}, Stderr: Output{Raw: []byte(secret)},
			Error: secret, Result: json.RawMessage(`{"` + secret + `":1}`), Network: []string{secret}},
			map[string]string{"stdout": "", "stderr": "", "error": "", "result": "", "network": ""}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := of(secret).Execution(c.x)
			if err != nil {
				t.Fatal(err)
			}
			all := got.Stdout.String() + got.Stderr.String() + got.Error.String() + fmt.Sprint(got.Network)
			if got.Result != nil {
				all += got.Result.String()
				if !json.Valid([]byte(got.Result.String())) {
					t.Errorf("%s is no JSON", got.Result)
				}
			}
			if strings.Contains(all, a) || strings.Contains(all, b) || strings.Contains(all, "80,57,115") {
				t.Errorf("left: %s", all)
			}
			for channel, encoding := range c.hits {
				hits := got.Hits[channel]
				if len(hits) != 1 || hits[0].Name != "A" || !strings.Contains(hits[0].Encoding, encoding) {
					t.Errorf("%s: %+v", channel, hits)
				}
			}
			if len(got.Hits) != len(c.hits) {
				t.Errorf("%+v", got.Hits)
			}
		})
	}
}

// TestTurns writes one character to each stream in turn.
func TestTurns(t *testing.T) {
	t.Parallel()
	const secret = "kP9sZx81qLmN4vT7w2"
	var out [2][]byte
	var turns []int
	for i := range len(secret) {
		out[i%2] = append(out[i%2], secret[i])
		turns = append(turns, 1)
	}
	got, err := of(secret).Execution(Execution{Stdout: Output{Raw: out[0]}, Stderr: Output{Raw: out[1]}, Turns: turns})
	if err != nil || len(unmasked(got.Stdout.String()+got.Stderr.String())) < 9 {
		t.Errorf("%v, %s, %s", err, got.Stdout, got.Stderr)
	}
}

func TestExecutionRefusesNoJSON(t *testing.T) {
	t.Parallel()
	if _, err := of(long).Execution(Execution{Result: json.RawMessage("{")}); !errors.Is(err, ErrJSON) ||
		!errors.Is(CheckJSON(json.RawMessage("{")), ErrJSON) {
		t.Error(err)
	}
}

func TestPlaceholder(t *testing.T) {
	t.Parallel()
	v := secrets.Resolved{Key: "KEY", Secret: secretOf(long), Placeholder: "airlock-placeholder-0123456789abcdef"}
	r := New([]secrets.Resolved{v})
	got, hits := r.Text("use " + v.Placeholder + " or " + long)
	if got.String() != "use [SEALED:KEY] or [REDACTED...6789]" || hits.Total() != 1 || hits[0].Name != "KEY" {
		t.Errorf("%s, %v", got, hits)
	}
	var live string
	s := r.Stream(func(c Clean) { live += c.String() })
	_, _ = s.Write([]byte("use " + v.Placeholder + "\n"))
	if live != "use [SEALED:KEY]\n" || s.Hits() != nil {
		t.Errorf("live: %s, %v", live, s.Hits())
	}
}

// TestOnlyPlaceholdersAreNoValue: whatever stands around placeholders, and whatever a rule or
// the end of the text makes of it, a text that holds nothing else is never told as one that held a
// value; with a value in it, it is.
func TestOnlyPlaceholdersAreNoValue(t *testing.T) {
	t.Parallel()
	secret := "sK7#mQ2vX9pLw4Rt-value"
	v := secrets.Resolved{Key: "KEY", Secret: secretOf(secret), Placeholder: "airlock_sealed_0a1b2c3d4e5f6a7b8c9d"}
	word := regexp.MustCompile(`[A-Za-z0-9_+/=]{8,}|"token": ?"[^"]*"`)
	find := func(text string) (list []Match) {
		for _, at := range word.FindAllStringIndex(text, -1) {
			list = append(list, Match{at[0], at[1], "word"})
		}
		return list
	}
	r := New([]secrets.Resolved{v},
		Options{Rules: find, Ahead: func(text string) ([]Match, int) { return find(text), len(text) }})
	rapid.Check(t, func(t *rapid.T) {
		around := rapid.SampledFrom([]string{"", "abc", "Ym9iOn", "g==", `{"token": "`, `"}`, " ", "\n", "Basic ",
			"%20", "\u0061", "=", "YWJj", "//", "öä"})
		text := around.Draw(t, "before")
		for range rapid.IntRange(1, 3).Draw(t, "placeholders") {
			text += around.Draw(t, "left") + v.Placeholder + around.Draw(t, "right")
		}
		valueHits := func(text string) (n int) {
			_, whole := r.Text(text)
			_, cut := r.Cut(text)
			_, encoded := r.Text(base64.StdEncoding.EncodeToString([]byte(text)))
			s := r.Stream(func(Clean) {})
			_, _ = s.Write([]byte(text))
			_ = s.Close()
			for _, h := range slices.Concat(whole, cut, encoded, s.Hits()) {
				if h.Name != "" || h == (Hit{Count: h.Count}) {
					n++
				}
			}
			return n
		}
		if n := valueHits(text); n != 0 {
			t.Fatalf("%q: %d hits of a value", text, n)
		}
		if clean, _ := r.Text(text); strings.Contains(clean.String(), v.Placeholder) {
			t.Fatalf("%q: the placeholder is left in %q", text, clean)
		}
		if valueHits(text+secret) == 0 || valueHits(secret+text) == 0 {
			t.Fatalf("%q: beside the value, the value isn't told", text)
		}
	})
	_, hits := r.Text(`{"token": "abc` + v.Placeholder + `"}`)
	if want := (Hit{Rule: "word", Encoding: "around the placeholder of KEY", Count: 1}); len(hits) != 1 ||
		hits[0] != want {
		t.Errorf("%+v, want %+v", hits, want)
	}
	if clean, hits := r.Text("Bearer " + v.Placeholder); clean.String() != "Bearer [SEALED:KEY]" || len(hits) != 0 {
		t.Errorf("a rule that takes a placeholder alone gave %s, %v", clean, hits)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	find := func(text string) (list []Match) {
		if i := strings.Index(text, "tok_"); i >= 0 {
			list = append(list, Match{i, i + 12, "token"})
		}
		return append(list, Match{-1, 3, "wrong"}, Match{0, 1 << 20, "wrong"})
	}
	r := New([]secrets.Resolved{{Key: "A", Secret: secretOf(long)}}, Options{Rules: find})
	got, hits := r.Text("x tok_12345678 " + long)
	if got.String() != "x [REDACTED] [REDACTED...6789]" || len(hits) != 2 ||
		hits[0] != (Hit{Rule: "token", Count: 1}) || hits[1] != (Hit{Name: "A", Count: 1}) {
		t.Errorf("%s, %+v", got, hits)
	}
}

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
