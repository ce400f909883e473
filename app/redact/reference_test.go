package redact

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/encodings"
)

// reference finds the places of a text the slow and obvious way: look for every needle at every
// place, then merge what overlaps. broken are those that may be found across line breaks, too.
func reference(needles []needle, text string) (found, broken [][]region) {
	var exact []region
	for _, n := range needles {
		for start := 0; start+len(n.text) <= len(text); start++ {
			end := start + len(n.text)
			if text[start:end] != n.text || (n.word && !standsAlone(text, start, end)) {
				continue
			}
			end = referenceRun(n, encodings.RunsOf, text, end)
			quiet := none
			if n.quiet || n.word {
				quiet = n.owner
			}
			exact = append(exact,
				region{start: start, end: end,
					form: int32(slices.IndexFunc(needles,
						func(o needle) bool { return o.form == n.form && o.text == n.text })), quiet: quiet})
		}
	}
	return referenceGroups(exact), referenceGroups(slices.Concat(exact,
		referenceFolded(needles, encodings.RunsOf, text)))
}

// referenceGroups puts what overlaps together.
func referenceGroups(found []region) (out [][]region) {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b region) int { return a.start - b.start })
	for len(found) > 0 {
		n, end := 1, found[0].end
		for n < len(found) && found[n].start < end {
			end = max(end, found[n].end)
			n++
		}
		out = append(out, found[:n])
		found = found[n:]
	}
	return out
}

func endOf(group []region) (end int) {
	for _, g := range group {
		end = max(end, g.end)
	}
	return end
}

// referenceText masks groups.
func referenceText(m *machine, found [][]region, text string) string {
	var out strings.Builder
	done := 0
	for _, group := range found {
		end := endOf(group)
		out.WriteString(strings.ToValidUTF8(text[done:group[0].start], "\uFFFD"))
		out.WriteString(referenceMask(m, group, end))
		done = end
	}
	return out.String() + strings.ToValidUTF8(text[done:], "\uFFFD")
}

// check compares what was found with the reference: the same, and where there are line breaks at
// least what is in one line and at most what a reader of the whole text can find.
func check(t interface{ Fatalf(string, ...any) }, r *Redactor, needles []needle, text string) {
	exact, broken := reference(needles, text)
	if !strings.ContainsAny(text, "\r\n\\") {
		if got, want := r.machine.render(text, r.machine.places([]byte(text), true, false),
			new(tally)), referenceText(r.machine, exact, text); utf8.ValidString(text) && got != want {
			t.Fatalf("got  %q\nwant %q\nof   %q", got, want, text)
		}
		return
	}
	places := r.machine.places([]byte(text), true, false)
	for _, group := range exact {
		if !slices.ContainsFunc(places,
			func(p region) bool { return p.start <= group[0].start && p.end >= endOf(group) }) {
			t.Fatalf("%v are not found in %q, only %v", group, text, places)
		}
	}
	for _, p := range places {
		if slices.ContainsFunc(needles, func(n needle) bool { return strings.ContainsAny(n.text, "\r\n\\") }) {
			break // one break may be in the needle and another in the way
		}
		if !slices.ContainsFunc(broken,
			func(group []region) bool { return group[0].start <= p.start && endOf(group) >= p.end }) {
			t.Fatalf("%v is found in %q, but only %v are there", p, text, broken)
		}
	}
}

var aBreak = regexp.MustCompile(`^(?:[\r\n]|\\+[nr\r\n])*\\*`)

// referenceBreak returns the line break at a place and the backslashes behind it.
func referenceBreak(text string, at int) (length, slashes int) {
	m := aBreak.FindString(text[at:])
	slashes = len(m) - len(strings.TrimRight(m, `\`))
	return len(m) - slashes, slashes
}

// referenceRun returns where the run of a needle that ends at end ends.
func referenceRun(n needle, classes [256]encodings.RunSet, text string, end int) int {
	runs, left, follows, crossed := n.runs, n.left, !n.left.Empty(), false
	for at := end; at < len(text) && runs != 0; {
		length, slashes := referenceBreak(text, at)
		if length+slashes > 0 {
			if left.Empty() || !follows || slashes > 0 || length > maxBreak {
				break
			}
			crossed = true
			at += length
			continue
		}
		if !left.Empty() {
			rest, ok := left.Take(text[at])
			left, follows = rest, follows && ok
		}
		if crossed && !follows {
			break
		}
		if runs &= classes[text[at]]; runs != 0 {
			at++
			end = at
		}
	}
	return end
}

// referenceFolded finds what is broken into lines: it takes the breaks out and notes where each
// byte was.
func referenceFolded(needles []needle, classes [256]encodings.RunSet, text string) []region {
	const barrier = "\x00\n\x00"
	var folded strings.Builder
	var places []int
	for at := 0; at < len(text); {
		length, slashes := referenceBreak(text, at)
		switch {
		case length+slashes > maxBreak:
			folded.WriteString(barrier)
			places = append(places, -1, -1, -1)
			at += length + slashes
			continue
		case length+slashes == 0:
			slashes = 1
		}
		for at += length; slashes > 0; slashes-- {
			folded.WriteByte(text[at])
			places = append(places, at)
			at++
		}
	}
	var found []region
	view := folded.String()
	for _, n := range needles {
		for at := 0; !n.word && at+len(n.text) <= len(view); at++ {
			if view[at:at+len(n.text)] != n.text {
				continue
			}
			start, end := places[at], places[at+len(n.text)-1]+1
			if end-start > len(n.text) && text[end-1] != '\\' {
				found = append(found,
					region{start: start, end: referenceRun(n, classes, text, end), form: none, quiet: several})
			}
		}
	}
	return found
}

func referenceMask(m *machine, group []region, end int) string {
	for _, g := range group {
		others := slices.ContainsFunc(group,
			func(o region) bool { return o.quiet != none && o.quiet != m.forms[g.form].owner })
		show := m.values[m.forms[g.form].owner].show
		if m.forms[g.form].shows && show != "" && g.start == group[0].start && g.end == end && !others {
			return "[REDACTED..." + show + "]"
		}
	}
	return "[REDACTED]"
}

func standsAlone(text string, start, end int) bool {
	return (start == 0 || !charset.IsWord(text[start]) || !charset.IsWord(text[start-1])) &&
		(end == len(text) || !charset.IsWord(text[end-1]) || !charset.IsWord(text[end]))
}

// TestAgainstReference compares the automaton, over random cuts, with the slow way, on secrets and
// texts that overlap a lot.
func TestAgainstReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		alphabet := rapid.SampledFrom([]string{"ab", "abc", "aB1", "a-é", "01", "ab/\n", "a \\n", "01\n",
			"a\r\n"}).Draw(r, "alphabet")
		letters := rapid.SampledFrom([]rune(alphabet))
		secrets := rapid.SliceOfN(rapid.StringOfN(letters, 4, 70, -1), 1, 5).Draw(r, "secrets")
		var values []Value
		for _, s := range secrets {
			values = append(values, Value{Secret: app.NewSecret(s), Unheld: true}) // the reference knows no fragments
		}
		_, _, all := needles(values)
		text := drawText(r, all, letters)
		if width := rapid.IntRange(0, 80).Draw(r, "width of the lines"); width > 0 {
			secret := []byte(strings.Join(secrets[:1], ""))
			encoded := rapid.SampledFrom([]string{base64.StdEncoding.EncodeToString(secret),
				hex.EncodeToString(secret)}).Draw(r, "encoded")
			text += wrap(encoded, width, rapid.SampledFrom(breaks).Draw(r, "break")) +
				rapid.SampledFrom(breaks).Draw(r, "end") + text
		}

		redactor := New(values)
		check(r, redactor, all, text)
		want := redactor.machine.render(text, redactor.machine.places([]byte(text), true, false), new(tally))
		if got, _ := stream(t, redactor, cut(r, text)...); got != want {
			r.Fatalf("Stream: %q\nwant    %q\nof      %q", got, want, text)
		}
	})
}

// drawText mixes needles, parts of needles and letters.
func drawText(r *rapid.T, all []needle, letters *rapid.Generator[rune]) string {
	var b strings.Builder
	for range rapid.IntRange(0, 8).Draw(r, "parts") {
		if len(all) == 0 || rapid.Bool().Draw(r, "letters") {
			b.WriteString(rapid.StringOfN(letters, 0, 10, -1).Draw(r, "text"))
			continue
		}
		form := rapid.SampledFrom(all).Draw(r, "needle").text
		from := 0
		if rapid.Bool().Draw(r, "partly") {
			from = rapid.IntRange(0, len(form)).Draw(r, "from")
		}
		form = form[from:rapid.IntRange(from, len(form)).Draw(r, "to")]
		if rapid.Bool().Draw(r, "broken") {
			form = wrap(form, rapid.IntRange(1, 40).Draw(r, "width"), rapid.SampledFrom(breaks).Draw(r, "break"))
		}
		b.WriteString(form)
	}
	return b.String()
}

// breaks are line breaks, and what looks like one but is none or is too long.
var breaks = []string{"\n", "\r\n", `\n`, `\r\n`, `\\n`, `\\r\\n`, "\n\n", `\`, `\x`, `\n\`, "\n\n\n\n\n\n\n\n",
	`\\\\\\\\n`, "\n "}

// wrap puts a break behind every width bytes.
func wrap(text string, width int, with string) string {
	var b strings.Builder
	for len(text) > width {
		b.WriteString(text[:width] + with)
		text = text[width:]
	}
	return b.String() + text
}

// cut cuts a text at random places.
func cut(r *rapid.T, text string) []string {
	var pieces []string
	for len(text) > 0 {
		n := rapid.IntRange(1, min(len(text), rapid.SampledFrom([]int{1, 3, 40}).Draw(r, "size"))).Draw(r, "cut")
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

// TestStreamIsText: the cuts make no difference, whatever the bytes.
func TestStreamIsText(t *testing.T) {
	t.Parallel()
	redactor := of(long, "hunter2", "é€😀-secret", "line-one-of-it\nline-two-of-it")
	parts := rapid.SampledFrom([]string{long, long[:9], long[9:], "hunter2", "é€😀-secret", "line-two-of-it", "\xe2\x82",
		"\xac", "\xf0\x9f", "\x98\x80", "\xff", "\x00", " ", "x", "€", "😀"})
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOf(parts).Draw(r, "text"), "")
		var hits tally
		want := redactor.machine.render(text, redactor.machine.places([]byte(text), true, false), &hits)
		if got, n := stream(t, redactor, cut(r, text)...); got != want || n != hits.hits().Total() {
			r.Fatalf("Stream: %q, %d; the whole: %q, %v", got, n, want, hits)
		}
	})
}
