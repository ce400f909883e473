package views

import (
	"context"
	"io"
	"strings"

	"github.com/a-h/templ"
)

// Texts of scripts stand in pre elements, where every space counts; templ would add some, so these components write them.

// tracedText links the lines of the script that a traceback names.
func tracedText(text string, lines int) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		writeTraced(&b, text, lines)
		_, err := io.WriteString(w, b.String())
		return err
	})
}

func writeTraced(b *strings.Builder, text string, lines int) {
	for _, p := range traced(text, lines) {
		if p.line == 0 {
			b.WriteString(templ.EscapeString(p.text))
			continue
		}
		b.WriteString(`<a href="#line-` + itoa(p.line) + `" hx-boost="false">` + templ.EscapeString(p.text) + `</a>`)
	}
}

// togetherText is both streams as they came, stderr marked.
func togetherText(all []said, lines int) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		for _, s := range all {
			if !s.stderr {
				b.WriteString(templ.EscapeString(s.text))
				continue
			}
			b.WriteString(`<span class="aside">`)
			writeTraced(&b, s.text, lines)
			b.WriteString(`</span>`)
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
}
