package executionview

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
)

// typedText renders typed text into its field again. Invisible characters become references:
// app.Visible would replace them in the response.
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

func answeredExchanges(all []app.LLMExchange) []app.LLMExchange {
	return slices.DeleteFunc(slices.Clone(all), func(e app.LLMExchange) bool { return e.AnsweredAt.IsZero() })
}
