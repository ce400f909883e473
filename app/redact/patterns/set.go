package patterns

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/redact/charset"
)

// Config says how a Set differs from the built-in rules.
type Config struct {
	Off   []string // names of rules that don't count
	Extra []Rule   // an operator's own
}

// Set is what is looked for. It is safe for concurrent use; a nil Set finds nothing.
type Set struct {
	rules []compiled
	all   []Entry
	words *keywords
}

// New returns the built-in rules as changed by c. The error tells of every rule that is unknown,
// has the name of another, or doesn't do what its own examples say.
func New(c Config) (*Set, error) {
	rules := append(Rules(), c.Extra...)
	problems := badNames(rules, c.Off)
	s := &Set{}
	for i, r := range rules {
		own, off := i >= len(rules)-len(c.Extra), slices.Contains(c.Off, r.Name)
		s.all = append(s.all, Entry{Name: r.Name, About: r.About, Own: own, Off: off})
		if off {
			continue
		}
		done, err := compile(r)
		if err == nil && own {
			err = done.check()
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		s.rules = append(s.rules, done)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	s.words = newKeywords(s.rules)
	return s, nil
}

// Entry says of one rule whether it counts.
type Entry struct {
	Name  string
	About string // what it finds
	Own   bool   // an operator's, not built in
	Off   bool   // it doesn't count
}

// Entries lists all rules, the built-in ones first.
func (s *Set) Entries() []Entry {
	if s == nil {
		return nil
	}
	return slices.Clone(s.all)
}

func badNames(rules []Rule, off []string) (problems []error) {
	var names []string
	for _, r := range rules {
		if strings.Trim(r.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || r.Name == "" {
			problems = append(problems,
				fmt.Errorf("%s%q is no name of a rule: use small letters, digits and dashes", r.place(),
					app.Clip(r.Name, 40)))
		}
		if slices.Contains(names, r.Name) {
			problems = append(problems, fmt.Errorf("%sthere are two rules %s", r.place(), r.Name))
		}
		names = append(names, r.Name)
	}
	for _, name := range off {
		if slices.Contains(names, name) {
			continue
		}
		err := fmt.Errorf("there is no rule %q", app.Clip(name, 40))
		if guess := app.Nearest(name, names); guess != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, guess)
		}
		problems = append(problems, err)
	}
	return problems
}

// tries is how often a rule may fail within one unbroken word before the rest of the word is passed
// over.
const tries = 8

// progress is how far one rule has got in a text.
type progress struct {
	next   int // no match begins before
	word   int // end of the word in which the rule failed last
	failed int // how often, in that word
}

// Find returns the secrets in a text in order; they don't overlap. Where several rules find one,
// the first in the table gives the name.
func (s *Set) Find(text string) []redact.Match {
	found, _ := s.find(text, false)
	return found
}

// FindAhead is Find for the beginning of a text of which more will come. From offset open on there
// may be matches that can't be told yet: a keyword stands there, or begins, and its line, or as
// much as its rule looks at, isn't complete.
func (s *Set) FindAhead(text string) (found []redact.Match, open int) { return s.find(text, true) }

func (s *Set) find(text string, ahead bool) (found []redact.Match, open int) {
	open = len(text)
	if s == nil {
		return nil, open
	}
	var at []progress
	begun := s.words.each(text, func(rule, start, length int) {
		r := &s.rules[rule]
		if ahead && start-r.Back < open && r.open(text, start, length) {
			open = min(open, start-r.Back)
		}
		if at == nil {
			at = make([]progress, len(s.rules))
		}
		p := &at[rule]
		if start < p.next || (start < p.word && p.failed >= tries) {
			return
		}
		m, next, ok := r.at(text, start, length)
		if !ok {
			p.fail(text, start)
			return
		}
		if ahead && r.grows(text, m) {
			open = min(open, start-r.Back)
		}
		found = append(found, m)
		p.next = next
	})
	first := len(text) - begun
	atWord := begun > 0 && (first == 0 || !charset.IsWord(text[first]) || !charset.IsWord(text[first-1]))
	if begun >= soonOpen || atWord {
		open = min(open, first)
	}
	return s.merge(found), max(open, 0)
}

// soonOpen is how much of a keyword stands in the middle of a word before more of it is waited for.
// Fewer bytes are no secret.
const soonOpen = 3

// fail counts a try in vain.
func (p *progress) fail(text string, start int) {
	if start < p.word {
		p.failed++
		return
	}
	p.failed, p.word = 1, len(text)
	if i := strings.IndexAny(text[start:], wordEnds); i >= 0 {
		p.word = start + i
	}
}

// wordEnds are the bytes that end an unbroken word: space, quotes, and what stands between values.
const wordEnds = " \t\r\n\"'`&,;<>(){}[]"

// merge joins matches that overlap.
func (s *Set) merge(found []redact.Match) []redact.Match {
	if len(found) < 2 {
		return found
	}
	slices.SortFunc(found, func(a, b redact.Match) int { return a.Start - b.Start })
	out := found[:1]
	for _, m := range found[1:] {
		last := &out[len(out)-1]
		if m.Start >= last.End {
			out = append(out, m)
			continue
		}
		last.End = max(last.End, m.End)
		if s.rank(m.Rule) < s.rank(last.Rule) {
			last.Rule = m.Rule
		}
	}
	return out
}

func (s *Set) rank(rule string) int {
	return slices.IndexFunc(s.rules, func(r compiled) bool { return r.Name == rule })
}

// check tries a rule's own examples.
func (r *compiled) check() error {
	if len(r.Found) == 0 {
		return fmt.Errorf("%s has no example of what it finds", r.name())
	}
	s := &Set{rules: []compiled{*r}, words: newKeywords([]compiled{*r})}
	for _, text := range r.Found {
		if !s.findsExample(text) {
			return fmt.Errorf("%s doesn't find its own example %q", r.name(), app.Clip(text, 80))
		}
	}
	for _, text := range r.Ignored {
		if len(s.Find(text)) > 0 {
			return fmt.Errorf("%s finds something in %q", r.name(), app.Clip(text, 80))
		}
	}
	return nil
}

// findsExample reports whether the set finds exactly what stands between « and », or anything
// where an example has no such marks.
func (s *Set) findsExample(example string) bool {
	before, rest, marked := strings.Cut(example, "«")
	if !marked {
		return len(s.Find(example)) > 0
	}
	secret, after, _ := strings.Cut(rest, "»")
	found := s.Find(before + secret + after)
	return len(found) == 1 && found[0].Start == len(before) && found[0].End == len(before+secret)
}
