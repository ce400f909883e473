package uix

import (
	"context"
	"strings"
	"unicode"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
)

// Summaries describes executions in a line each, by handle: code, result or the place of a searched
// word.
func (u *UI) Summaries(
	ctx context.Context, list []app.Execution, words string,
) (map[string]components.Summary, error) {
	previews, err := u.Engine.Reader.Previews(ctx, list)
	if err != nil {
		return nil, err
	}
	var texts map[string]string
	if words != "" {
		if texts, err = u.Engine.Reader.Texts(ctx, list); err != nil {
			return nil, err
		}
	}
	all := make(map[string]components.Summary, len(list))
	for _, x := range list {
		s, found := matchIn(texts[x.Handle], words)
		switch p := previews[x.Handle]; {
		case found:
		case p.Result != "" && p.Result != "null":
			s = components.Summary{Text: app.Clip(p.Result, maxSummary), Code: true}
		case x.Skill == "": // the row names a skill
			s = components.Summary{Text: app.Clip(firstStatement(p.Script), maxSummary), Code: true}
		}
		all[x.Handle] = s
	}
	return all, nil
}

const (
	maxSummary    = 160 // bytes
	aroundMatch   = 60  // bytes on each side
	importKeyword = "import "
)

// firstStatement returns a script's first line, preferring one beyond imports and comments.
func firstStatement(script string) string {
	first := ""
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if first == "" {
			first = line
		}
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, importKeyword) && !strings.HasPrefix(line, "from ") {
			return line
		}
	}
	return first
}

// matchIn finds the first of words in a text, ignoring case.
func matchIn(text, words string) (s components.Summary, found bool) {
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // lower case changes a letter's length: offsets would be wrong
		return s, false
	}
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if at := strings.Index(lower, word); word != "" && at >= 0 {
			return excerpt(text, at, at+len(word)), true
		}
	}
	return s, false
}

// excerpt returns a match with its line's context.
func excerpt(text string, at, end int) components.Summary {
	start := max(at-aroundMatch, strings.LastIndexByte(text[:at], '\n')+1, 0)
	stop := min(end+aroundMatch, len(text))
	if n := strings.IndexByte(text[end:stop], '\n'); n >= 0 {
		stop = end + n
	}
	return components.Summary{
		Before: format.Plain(strings.ToValidUTF8(text[start:at], "")), Text: text[at:end],
		After: format.Plain(strings.ToValidUTF8(text[end:stop], "")), Match: true,
	}
}
