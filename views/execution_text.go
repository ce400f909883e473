package views

import (
	"context"
	"io"
	"strings"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
)

// Texts of scripts stand in pre elements, where every space counts; templ would add some, so these components write them.

// typed is what a person typed, for the field that takes it again: its invisible characters are references, or app.Visible would
// replace them in what is sent.
func typed(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		for _, r := range text {
			if app.IsInvisible(r) && r != '\n' && r != '\t' {
				b.WriteString("&#" + itoa(int(r)) + ";")
			} else {
				b.WriteString(templ.EscapeString(string(r)))
			}
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
}

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
