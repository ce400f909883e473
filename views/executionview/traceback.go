package executionview

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/views/code"
)

// tracedText links the script lines in a traceback.
func tracedText(text string, lines int) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		writeTraced(&b, text, lines)
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// writeTraced writes text with linked script lines, coloured where a traceback quotes them.
func writeTraced(b *strings.Builder, text string, lines int) {
	quotes := false // the line before names the script's
	for line := range strings.Lines(text) {
		if quotes && strings.HasPrefix(line, "    ") {
			quoted := strings.TrimRight(line, "\n")
			for _, parts := range code.Python(quoted) {
				b.WriteString(code.HTML(parts))
			}
			b.WriteString(line[len(quoted):])
			quotes = false
			continue
		}
		all := traced(line, lines)
		quotes = len(all) > 1
		for _, p := range all {
			if p.line == 0 {
				b.WriteString(templ.EscapeString(p.text))
				continue
			}
			b.WriteString(`<a href="#line-` + strconv.Itoa(p.line) + `" hx-boost="false">`)
			b.WriteString(templ.EscapeString(p.text) + `</a>`)
		}
	}
}

// tracePart is a text part; line is the script line it names, or 0.
type tracePart struct {
	text string
	line int
}

// scriptFile is what a traceback calls the script.
const scriptFile = `File "script.py", line `

// traced splits a traceback at existing script lines.
func traced(text string, lines int) []tracePart {
	var all []tracePart
	for {
		i := strings.Index(text, scriptFile)
		if i < 0 {
			return append(all, tracePart{text: text})
		}
		at := i + len(scriptFile)
		n, digits := 0, 0
		for at+digits < len(text) && digits < 7 && text[at+digits] >= '0' && text[at+digits] <= '9' {
			n = 10*n + int(text[at+digits]-'0')
			digits++
		}
		if n < 1 || n > lines {
			all = append(all, tracePart{text: text[:at+digits]})
		} else {
			all = append(all, tracePart{text: text[:i]}, tracePart{text[i : at+digits], n})
		}
		text = text[at+digits:]
	}
}
