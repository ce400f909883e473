package views

import (
	"context"
	"io"
	"strings"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
)

// written renders a sentence without a space between its parts: a template would put one before every full stop.
func written(parts []Part) templ.Component {
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

// Placed is what is granted with where it may run, which stands before the lock and after it too.
func Placed(granted []Sentence, p app.Placement) []Sentence {
	return append(granted, say("box", word(Where(p))))
}

// Where says in a sentence where a profile's scripts may run.
func Where(p app.Placement) string {
	if p == (app.Placement{}) {
		return "Its scripts may run in any sandbox of this instance."
	}
	var parts []string
	if p.Backend != "" {
		parts = append(parts, "with the backend "+p.Backend)
	}
	if p.MinTier != "" {
		parts = append(parts, "with isolation "+p.MinTier+" at least")
	}
	if p.Image != "" {
		parts = append(parts, "in the image "+p.Image)
	}
	return "Its scripts run " + strings.Join(parts, ", ") + ", or not at all."
}
