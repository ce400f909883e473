package profileview

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app/profiles"
)

// sentence renders a sentence's parts without templates' extra spaces.
func sentence(s profiles.Sentence) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		for _, p := range s.Parts {
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
