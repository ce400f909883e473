package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths in characters.
const (
	minValue = 4  // shorter values are ignored
	minWhole = 8  // shorter values and lines are not looked for inside words
	minShown = 16 // shorter values show nothing in their mask
)

// maxRun is how many bytes of a value are looked for in run-like encodings.
const maxRun = 48

// needle is one form of a value.
type needle struct {
	text  string
	owner int32
	show  string
	quiet bool // what it stands for must not be shown by other values' masks
	word  bool // counts only as a word
	runs  runs // in which it goes on; 0 if it is the whole value
	left  left // how far it does so over line breaks
}

func (n needle) output() output {
	if n.word {
		return output{owner: none, quiet: none, words: []word{{length: len(n.text), owner: n.owner}}}
	}
	out := output{length: len(n.text), owner: n.owner, show: n.show, quiet: none, runs: n.runs, left: n.left}
	if n.quiet {
		out.quiet = n.owner
	}
	return out
}

// needles returns all forms of all values.
func needles(values []Value) []needle {
	var texts []string
	for _, v := range values {
		if text := strings.TrimSpace(v.Secret.Reveal()); utf8.RuneCountInString(text) >= minValue && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	var all []needle
	for i, text := range texts {
		all = append(all, forms(int32(i), text, shown(text, texts))...)
	}
	return all
}

// shown returns the last characters of a value that its mask may show.
func shown(text string, texts []string) string {
	if utf8.RuneCountInString(text) < minShown {
		return ""
	}
	at := len(text)
	for range 4 {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	last := text[at:]
	if !utf8.ValidString(last) || strings.ContainsFunc(last, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
		return ""
	}
	for _, other := range texts {
		if utf8.RuneCountInString(other) >= minShown {
			continue
		}
		if i := strings.LastIndex(text, other); strings.Contains(other, last) || (i >= 0 && i+len(other) > at) {
			return ""
		}
	}
	return last
}

func forms(owner int32, text, show string) []needle {
	var out []needle
	seen := map[string]bool{}
	add := func(n needle) {
		if n.text == "" || seen[n.text] {
			return
		}
		seen[n.text] = true
		n.owner = owner
		out = append(out, n)
	}
	whole := utf8.RuneCountInString(text) >= minShown
	add(needle{text: text, show: show, quiet: !whole, word: isShort(text)})
	for _, line := range lines(text) {
		add(needle{text: line, quiet: true})
	}
	if !isShort(text) { // a value that was used as a host name comes back in lower case
		add(needle{text: strings.ToLower(text), quiet: true})
		add(needle{text: strings.ToUpper(text), quiet: true})
	}
	for _, form := range escaped(text) {
		add(needle{text: form, quiet: true, word: isShort(form)})
	}
	for _, r := range runForms(text) {
		add(needle{text: r.text, quiet: true, runs: r.rest, left: r.left})
	}
	return out
}

func isShort(text string) bool { return utf8.RuneCountInString(text) < minWhole }

// lines returns the lines of a value that are secrets of their own. The characters \n end a line too: a key inside a JSON
// document has its line breaks written so.
func lines(text string) []string {
	var out []string
	for part := range strings.SplitSeq(strings.NewReplacer(`\r`, "\n", `\n`, "\n", "\r", "\n").Replace(text), "\n") {
		line := strings.TrimSpace(part)
		armour := strings.HasPrefix(line, "-----") && strings.HasSuffix(line, "-----")
		if !isShort(line) && !armour {
			out = append(out, line)
		}
	}
	return out
}

// escaped returns the forms in which most characters stay as they are.
func escaped(text string) []string {
	if isPlain(text) {
		return nil
	}
	return slices.Concat(jsonForms(text), pythonForms(text))
}

// isPlain reports whether no encoder that leaves letters alone has anything to do: the usual case, and worth a shortcut.
func isPlain(text string) bool {
	for _, c := range []byte(text) {
		if !isWord(c) && c != '-' && c != '.' {
			return false
		}
	}
	return true
}
