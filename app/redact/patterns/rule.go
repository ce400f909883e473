package patterns

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/redact/charset"
)

// Rule describes one shape of a secret.
type Rule struct {
	Name     string   // small letters, digits and dashes
	About    string   // what it finds, for people
	Keywords []string // one of them stands in every secret of this shape; see Back
	Fold     bool     // letter case of keywords and expression doesn't matter
	Inside   bool     // the match may begin in the middle of a word, as PASSWORD does in DB_PASSWORD
	Back     int      // how many bytes before its keyword a match begins
	Lines    bool     // a match may go on in the next line
	Reach    int      // how many bytes from the keyword on are looked at; 0: 512
	Regexp   string   // RE2. The first group that takes part is the secret; without groups, the whole match
	Entropy  float64  // least Shannon entropy of the secret in bits a byte; 0: any
	Guard    Guard    // nil: none
	Where    string   // file:line of an operator's own rule; "" for the built-in ones

	// Found and Ignored are examples: texts in which the rule finds exactly what stands between «
	// and », or nothing. An operator's may go without « and ». ⟨w36⟩ stands for 36 random characters
	// of a class, so that no example looks like a secret to a scanner; the tests fill them in.
	Found   []string
	Ignored []string
}

// Guard is the last word on a candidate. Before is what stands before the secret, at most 64 bytes,
// all of the match among it.
type Guard func(before, secret string) bool

const (
	defaultReach = 512
	contextBytes = 64
)

// place is where an operator finds the rule, before an error about it.
func (r *Rule) place() string {
	if r.Where == "" {
		return ""
	}
	return r.Where + ": "
}

func (r *Rule) name() string { return r.place() + "rule " + r.Name }

// compiled is a rule that is ready to be tried.
type compiled struct {
	Rule
	exp *regexp.Regexp
}

func compile(r Rule) (compiled, error) {
	flags := "(?s)"
	if r.Fold {
		flags = "(?si)"
	}
	exp, err := regexp.Compile(flags + `\A(?:` + r.Regexp + ")")
	if err != nil {
		return compiled{}, fmt.Errorf("%s: %w", r.name(), err)
	}
	if exp.MatchString("") {
		return compiled{}, fmt.Errorf("%s: its expression matches the empty text", r.name())
	}
	if r.Reach == 0 {
		r.Reach = defaultReach
	}
	return compiled{r, exp}, nil
}

// openLines is how many lines a rule that goes on in the next line is waited for: its secret begins
// in one of them.
const openLines = 6

// mayBegin reports whether a keyword's match may begin where it would have to. The rule's case must
// fit, and no word may be cut.
func (r *compiled) mayBegin(text string, keyword, length int) bool {
	if !r.Fold && !slices.Contains(r.Keywords, text[keyword:keyword+length]) {
		return false
	}
	from := keyword - r.Back
	return from >= 0 && (r.Inside || from == 0 || !charset.IsWord(text[from]) || !charset.IsWord(text[from-1]))
}

// open reports whether more text may make a match of a keyword.
func (r *compiled) open(text string, keyword, length int) bool {
	if !r.mayBegin(text, keyword, length) || len(text)-keyword >= r.Reach {
		return false
	}
	lines := 1
	if r.Lines {
		lines = openLines
	}
	return strings.Count(text[keyword:], "\n") < lines
}

// grows reports whether the secret of a match may go on in what follows the text.
func (r *compiled) grows(text string, m redact.Match) bool {
	return r.Lines && len(text)-m.Start < r.Reach &&
		strings.IndexByte(strings.TrimLeft(text[m.End:], " \t\r\n"), '\n') < 0
}

// at tries the rule where a keyword stands. next is the end of the match; ok whether it is a
// secret.
func (r *compiled) at(text string, keyword, length int) (m redact.Match, next int, ok bool) {
	if !r.mayBegin(text, keyword, length) {
		return m, 0, false
	}
	from, to := keyword-r.Back, min(len(text), keyword+r.Reach)
	if !r.Lines {
		if i := strings.IndexByte(text[keyword:to], '\n'); i >= 0 {
			to = keyword + i + 1
		}
	}
	at := r.exp.FindStringSubmatchIndex(text[from:to])
	if at == nil || from+at[1] < keyword+length {
		return m, 0, false
	}
	m, next = redact.Match{Start: from, End: from + at[1], Rule: r.Name}, from+at[1]
	for g := 2; g < len(at); g += 2 {
		if at[g] >= 0 {
			m.Start, m.End = from+at[g], from+at[g+1]
			break
		}
	}
	if m.End == to { // the window ended, not the secret
		for m.End < len(text) && strings.IndexByte(wordEnds, text[m.End]) < 0 {
			m.End++
		}
		next = m.End
	}
	return m, next, r.plausible(text, m)
}

func (r *compiled) plausible(text string, m redact.Match) bool {
	secret := text[m.Start:m.End]
	if m.Start == m.End || standIn(secret) || (r.Entropy > 0 && entropy(secret) < r.Entropy) {
		return false
	}
	return r.Guard == nil || r.Guard(text[max(0, m.Start-contextBytes):m.Start], secret)
}
