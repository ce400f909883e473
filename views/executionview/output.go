package executionview

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/views/format"
)

// togetherText renders both streams in order, with stderr marked.
func togetherText(all []outputPart, lines int) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		for _, s := range all {
			text := templ.EscapeString(format.Plain(s.text))
			if s.stderr {
				text = `<span class="stderr">` + linkLines(format.Plain(s.text), lines) + `</span>`
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// outputPart is a stretch of one stream's output.
type outputPart struct {
	stderr bool
	text   string
}

// inOrder interleaves two streams by their turns, and appends the rest. It returns nil if a stream
// is empty or the order unknown.
func inOrder(p ExecutionPage) (all []outputPart) {
	if p.Output.Stdout == "" || p.Output.Stderr == "" || len(p.Output.Turns) == 0 {
		return nil
	}
	left := [2]string{p.Output.Stdout, p.Output.Stderr}
	take := func(i, n int) {
		if n = min(n, len(left[i])); n > 0 {
			all = append(all, outputPart{i == 1, left[i][:n]})
			left[i] = left[i][n:]
		}
	}
	for i, n := range p.Output.Turns {
		take(i%2, n)
	}
	take(0, len(left[0]))
	take(1, len(left[1]))
	return all
}
