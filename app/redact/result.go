package redact

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/match"
	"github.com/computclaw/airlock/app/redact/jsontext"
)

// ErrJSON is wrapped by every error about a result. The texts hold nothing of the data.
var ErrJSON = errors.New("redact: not one valid JSON value")

// CheckJSON returns the error that Execution would return for a result.
func CheckJSON(data json.RawMessage) error {
	if err := jsontext.Check(data); err != nil {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	return nil
}

// result masks a JSON value: compact, in the order of its keys, with numbers as they are written.
// It is searched as its text, so that a list of numbers or a key beside its value is found as in
// output.
//
// A number whose digits hold a secret of 8 characters or more becomes a masked string. Where
// masking makes two keys of an object equal, all but one get " (2)", " (3)" … appended, in the
// sorted order of the keys as they were; keys without a secret keep their names.
func (r *Redactor) result(data json.RawMessage) (Clean, Hits, error) {
	document, err := jsontext.Parse(data)
	if err != nil {
		return Clean{}, nil, fmt.Errorf("%w: %w", ErrJSON, err)
	}
	s := resultSearch{Document: document, redactor: r, found: r.findKnown(document.Text())}
	s.search(s.Root(), nil, nil)
	for _, j := range []*joined{&s.strings, &s.keys} {
		r.findJoined(j, func(_ int, g region) { s.found = append(s.found, g) })
	}
	w := resultWriter{Document: document, redactor: r, regions: r.merge(s.found)}
	w.out.Grow(len(document.Text()))
	w.value(w.Root())
	return Clean{w.out.String()}, w.tally.hits(), nil
}

// resultSearch gathers the regions of a JSON value, in bytes of its text.
type resultSearch struct {
	*jsontext.Document
	redactor *Redactor
	found    []region
	strings  joined // a value may be cut into several strings
	keys     joined
}

// search looks for what patterns find in a value that stands beside names. heads are those of the
// table that it may be in.
func (s *resultSearch) search(n jsontext.Node, names namesOf, heads [][]string) {
	switch s.Kind(n) {
	case jsontext.String:
		s.text(n, &s.strings, names)
	case jsontext.Array:
		s.list(n, names, heads)
	case jsontext.Object:
		heads, label := s.headsOf(n), s.labelOf(n)
		for key := range s.Inside(n) {
			s.text(key, &s.keys, nil)
			s.search(s.Value(key), names.forMember(s.String(key), label), heads)
		}
	}
}

// list is search for a list, which may be a row, a pair, or rows below their heads.
func (s *resultSearch) list(list jsontext.Node, names namesOf, heads [][]string) {
	l := s.listOf(list)
	if l.rows && l.heads != nil {
		heads = append(heads[:len(heads):len(heads)], l.heads)
	}
	i := 0
	for e := range s.Inside(list) {
		if l.rows {
			s.search(e, names, heads)
		} else {
			s.search(e, names.forElement(l, i, heads), heads)
		}
		i++
	}
}

func (s *resultSearch) text(n jsontext.Node, all *joined, names namesOf) {
	start, end := s.Span(n)
	all.add(0, s.Text(), start+1, end-1)
	if s.redactor.rules == nil {
		return
	}
	text := s.String(n)
	found := s.redactor.rules(text)
	for _, name := range names {
		found = append(found, s.redactor.rulesBeside(name, text)...)
	}
	written := s.Text()[start+1 : end-1]
	for _, g := range ruleRegions(found, len(text)) {
		if len(written) != len(text) { // it has escapes
			g.start, g.end = writtenOffset(written, g.start), writtenOffset(written, g.end)
		}
		g.start, g.end = g.start+start+1, g.end+start+1
		s.found = append(s.found, g)
	}
}

// writtenOffset returns where in a string as it is written so many bytes of its text end.
func writtenOffset(written string, length int) (at int) {
	for text := 0; text < length && at < len(written); {
		n := unitLength(written[at:])
		if written[at] != '\\' {
			text += n
		} else {
			text += len(decodedUnit(written[at : at+n]))
		}
		at += n
	}
	return at
}

func decodedUnit(escape string) (text string) {
	_ = json.Unmarshal([]byte(`"`+escape+`"`), &text)
	return text
}

// unitLength returns the length of the escape or character with which a string as it is written
// begins.
func unitLength(written string) int {
	switch {
	case written[0] != '\\':
		_, n := utf8.DecodeRuneInString(written)
		return n
	case written[1] == 'u':
		return len(`\u0000`)
	}
	return len(`\n`)
}

// resultWriter writes a JSON value with its regions masked.
type resultWriter struct {
	*jsontext.Document
	redactor *Redactor
	regions  []region // ordered
	tally    tally
	out      strings.Builder
}

func (w *resultWriter) value(n jsontext.Node) {
	switch w.Kind(n) {
	case jsontext.Array:
		separator := "["
		for e := range w.Inside(n) {
			w.out.WriteString(separator)
			w.value(e)
			separator = ","
		}
		w.out.WriteString(strings.TrimSuffix(separator, ",") + "]")
	case jsontext.Object:
		separator := "{"
		names := w.maskedNames(n)
		for key := range w.Inside(n) {
			w.out.WriteString(separator)
			if name, ok := names[key]; ok {
				w.out.WriteString(name)
			} else {
				w.out.WriteString(w.writtenText(key))
			}
			w.out.WriteByte(':')
			w.value(w.Value(key))
			separator = ","
		}
		w.out.WriteString(strings.TrimSuffix(separator, ",") + "}")
	default:
		w.out.WriteString(w.maskNode(n))
	}
}

func (w *resultWriter) writtenText(n jsontext.Node) string {
	start, end := w.Span(n)
	return w.Text()[start:end]
}

// inside returns the regions that overlap the text of a node.
func (w *resultWriter) inside(n jsontext.Node) []region {
	start, end := w.Span(n)
	if kind := w.Kind(n); kind == jsontext.String || kind == jsontext.Key {
		start, end = start+1, end-1
	} else if kind != jsontext.Number {
		return nil
	}
	first, _ := slices.BinarySearchFunc(w.regions, start, func(g region, at int) int { return g.end - at - 1 })
	last := first
	for last < len(w.regions) && w.regions[last].start < end {
		last++
	}
	if w.Kind(n) != jsontext.Number {
		return w.regions[first:last]
	}
	return slices.DeleteFunc(slices.Clone(w.regions[first:last]), w.redactor.isWord)
}

// isWord reports whether a region is of a short value, which counts in no number.
func (r *Redactor) isWord(g region) bool {
	return g.worth == ofValue && r.patterns[g.needle].Class == match.Word
}

// maskNode returns the text of a node with its masks, and counts them.
func (w *resultWriter) maskNode(n jsontext.Node) string {
	regions := w.inside(n)
	if len(regions) == 0 {
		return w.writtenText(n)
	}
	start, end := w.Span(n)
	if w.Kind(n) != jsontext.Number {
		start, end = start+1, end-1
	}
	out := []byte{'"'}
	text, at := w.Text(), start
	for i := range regions {
		g := &regions[i]
		from := at
		for at < end && at+unitLength(text[at:]) <= g.start { // no escape is cut
			at += unitLength(text[at:])
		}
		out = append(out, text[from:at]...)
		written := text[max(g.start, start):min(g.end, end)]
		if at < end {
			mask := jsontext.Quote(w.redactor.mask(g, written))
			out = append(out, mask[1:len(mask)-1]...)
			w.tally.count(w.redactor.hit(g, written))
		}
		for at < min(g.end, end) {
			at += unitLength(text[at:])
		}
	}
	return string(append(append(out, text[at:end]...), '"'))
}

// maskedNames returns the names of an object's keys that hold a secret, as they are written; nil if
// none does.
func (w *resultWriter) maskedNames(object jsontext.Node) map[jsontext.Node]string {
	if len(w.regions) == 0 {
		return nil
	}
	names, taken := map[jsontext.Node]string{}, map[string]bool{}
	for key := range w.Inside(object) {
		if len(w.inside(key)) > 0 {
			names[key] = w.maskNode(key)
		}
	}
	if len(names) == 0 {
		return nil
	}
	for key := range w.Inside(object) {
		if _, masked := names[key]; !masked {
			taken[w.writtenText(key)] = true
		}
	}
	byGiven := func(a, b jsontext.Node) int { return strings.Compare(w.String(a), w.String(b)) }
	count := map[string]int{}
	for _, key := range slices.SortedFunc(maps.Keys(names), byGiven) {
		name := names[key]
		for taken[names[key]] {
			count[name] = max(count[name], 1) + 1
			names[key] = fmt.Sprintf(`%s (%d)"`, strings.TrimSuffix(name, `"`), count[name])
		}
		taken[names[key]] = true
	}
	return names
}
