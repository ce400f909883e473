package patterns

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// Bounds on an operator's own rules. A keyword of three bytes keeps ordinary text fast.
const (
	maxRules      = 200
	minKeyword    = 3
	maxExpression = 2 << 10
	maxReachExtra = 16 << 10
)

// Parse reads rules as an operator writes them: lines of a word and its value, with blank lines and
// # comments between them.
//
//	rule acme-key
//	about keys of the Acme API
//	keyword acme_
//	regexp acme_([a-z0-9]{32})
//	entropy 3
//	found token acme_k3v8x1q7w5z2m9n4b6c0d8f1g3h5j7l9
//	ignored acme_example
//
// rule begins one. keyword (any number), regexp and found (any number) are needed; about, entropy,
// reach (bytes), ignored (any number) and the words fold, inside and lines, which stand alone, are
// not: see Rule. The error tells of every line that is wrong, as file:line.
func Parse(file, text string) ([]Rule, error) {
	var rules []Rule
	var problems []error
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("%s: it is not UTF-8", file)
	}
	complain := func(n int, err error) { problems = append(problems, fmt.Errorf("%s:%d: %w", file, n, err)) }
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		word, value, _ := strings.Cut(line, " ")
		value = strings.TrimSpace(value)
		switch {
		case word == "rule":
			rules = append(rules, Rule{Name: value, Where: fmt.Sprintf("%s:%d", file, n)})
		case len(rules) == 0:
			complain(n, errors.New("a line \"rule NAME\" must come first"))
		default:
			if err := rules[len(rules)-1].set(word, value); err != nil {
				complain(n, err)
			}
		}
	}
	if len(rules) > maxRules {
		problems = append(problems, fmt.Errorf("%s: %d rules; at most %d are allowed", file, len(rules), maxRules))
	}
	for _, r := range rules {
		if len(r.Keywords) == 0 || r.Regexp == "" || len(r.Found) == 0 {
			problems = append(problems,
				fmt.Errorf("%s: rule %s needs a keyword, a regexp and an example (found)", r.Where,
					app.Clip(r.Name, 40)))
		}
	}
	return rules, errors.Join(problems...)
}

// set takes one line.
func (r *Rule) set(word, value string) (err error) {
	if flag, ok := map[string]*bool{"fold": &r.Fold, "inside": &r.Inside, "lines": &r.Lines}[word]; ok {
		if value != "" {
			return fmt.Errorf("%s stands alone", word)
		}
		*flag = true
		return nil
	}
	if list, ok := map[string]*[]string{"keyword": &r.Keywords, "found": &r.Found, "ignored": &r.Ignored}[word]; ok {
		if value == "" || (word == "keyword" && len(value) < minKeyword) {
			return fmt.Errorf("%s needs a text%s", word, map[string]string{"keyword": " of 3 bytes or more"}[word])
		}
		*list = append(*list, value)
		return nil
	}
	switch word {
	case "about":
		r.About = value
	case "regexp":
		if r.Regexp != "" || value == "" || len(value) > maxExpression {
			return errors.New("a rule has one regexp, of at most 2 KiB")
		}
		r.Regexp = value
	case "entropy":
		if r.Entropy, err = strconv.ParseFloat(value, 64); err != nil || !(r.Entropy > 0 && r.Entropy <= 8) {
			return errors.New("entropy is a number of bits above 0, at most 8")
		}
	case "reach":
		if r.Reach, err = strconv.Atoi(value); err != nil || r.Reach < 1 || r.Reach > maxReachExtra {
			return fmt.Errorf("reach is a number of bytes from 1 to %d", maxReachExtra)
		}
	default:
		known := []string{"rule", "about", "keyword", "regexp", "entropy", "reach", "found", "ignored", "fold",
			"inside", "lines"}
		return fmt.Errorf("there is no %q; a line begins with one of %s", app.Clip(word, 40), strings.Join(known, ", "))
	}
	return nil
}
