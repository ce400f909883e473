package profileview

import (
	"context"
	"io"

	"github.com/a-h/templ"
)

// Part is a piece of a sentence; code is a name the person recognises letter by letter.
type Part struct {
	Text string
	Code bool
}

// Sentence says one thing that a profile grants or that bounds it.
type Sentence struct {
	Icon  string
	Warn  bool // worth a second look before the lock
	New   bool // not granted so far
	Parts []Part
}

// Text is the sentence without markup.
func (s Sentence) Text() string {
	text := ""
	for _, p := range s.Parts {
		text += p.Text
	}
	return text
}

func say(icon string, parts ...Part) Sentence { return Sentence{Icon: icon, Parts: parts} }

func word(text string) Part { return Part{Text: text} }

func code(text string) Part { return Part{Text: text, Code: true} }

// renderSentence renders a sentence without spaces between its parts, as templates would add.
func renderSentence(parts []Part) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		for _, p := range parts {
			text := templ.EscapeString(p.Text)
			if p.Code {
				text = "<code>" + text + "</code>"
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		return nil
	})
}
