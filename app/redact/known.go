package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/known"
	"github.com/computclaw/airlock/app/match"
	"github.com/computclaw/airlock/app/secrets"
)

// minShown is the length of the shortest value that shows something in its mask, in characters.
const minShown = 24

// needle is a text by which a value is recognised.
type needle struct {
	owner  int    // index of the value; of those with one text the first
	text   string // of a whole value or field, else ""
	shows  string // its last characters, if a mask may show them
	note   string // how the text differs from the value; "" if it doesn't
	sealed bool   // it is a placeholder
	strong bool   // it is hard to guess, so it counts in texts that were put together
}

// needlesOf returns the texts by which values are recognised, with the pattern of each. Values that
// the execution was not given come last: a text that it was given has its key's name.
func needlesOf(values []secrets.Resolved) (needles []needle, patterns []match.Pattern) {
	seen := map[match.Pattern]bool{}
	add := func(n needle, p match.Pattern) {
		if !seen[p] {
			seen[p] = true
			n.strong = p.Class == match.Strong
			needles, patterns = append(needles, n), append(patterns, p)
		}
	}
	for _, notGiven := range []bool{false, true} {
		for owner, v := range values {
			if (v.Held == secrets.ByHosts) != notGiven {
				continue
			}
			for _, p := range known.InOutput(v.Secret.Reveal(), isHeldByScript(v)) {
				n := needle{owner: owner, note: p.Note}
				if p.Note == "" {
					n.text = p.Text
				}
				add(n, p.Pattern)
			}
		}
	}
	for owner, v := range values {
		if v.Placeholder != "" {
			add(needle{owner: owner, sealed: true}, match.Pattern{Text: v.Placeholder, Class: match.Weak})
		}
	}
	setShown(needles, values)
	return needles, patterns
}

// setShown sets what masks of needles may show.
func setShown(needles []needle, values []secrets.Resolved) {
	var short []string
	for _, n := range needles {
		if n.text != "" && utf8.RuneCountInString(n.text) < minShown {
			short = append(short, n.text)
		}
	}
	for i := range needles {
		if n := &needles[i]; values[n.owner].Held != secrets.ByHosts {
			n.shows = shownSuffix(n.text, short)
		}
	}
}

// shownSuffix returns the last characters of a value that its mask may show, given shorter secrets.
func shownSuffix(text string, short []string) string {
	if utf8.RuneCountInString(text) < minShown {
		return ""
	}
	at := len(text)
	for range 4 {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	last := text[at:]
	hidden := func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }
	if !utf8.ValidString(last) || strings.ContainsFunc(last, hidden) {
		return ""
	}
	if slices.ContainsFunc(short, func(other string) bool {
		i := strings.LastIndex(text, other)
		return strings.Contains(other, last) || i >= 0 && i+len(other) > at
	}) {
		return ""
	}
	return last
}
