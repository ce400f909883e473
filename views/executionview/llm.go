package executionview

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
)

// Texts of scripts stand in pre elements, where every space counts; templ would add some, so these components write them.

// typedText is what a person typed, for the field that takes it again: its invisible characters are references, or app.Visible would
// replace them in what is sent.
func typedText(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		for _, r := range text {
			if app.IsInvisible(r) && r != '\n' && r != '\t' {
				b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
			} else {
				b.WriteString(templ.EscapeString(string(r)))
			}
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// answered are the exchanges that are over.
func answered(all []app.LLMExchange) []app.LLMExchange {
	var over []app.LLMExchange
	for _, e := range all {
		if !e.AnsweredAt.IsZero() {
			over = append(over, e)
		}
	}
	return over
}
