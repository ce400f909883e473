package executionview

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
)

// togetherText renders both streams in order, with stderr marked.
func togetherText(all []outputPart, lines int) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		for _, s := range all {
			if !s.stderr {
				b.WriteString(templ.EscapeString(format.Plain(s.text)))
				continue
			}
			b.WriteString(`<span class="stderr">`)
			writeTraced(&b, format.Plain(s.text), lines)
			b.WriteString(`</span>`)
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// outputPart is a stretch of one stream's output.
type outputPart struct {
	stderr bool
	text   string
}

// inOrder interleaves two streams by their turns, and appends the rest. It returns nil if a stream
// is empty or the order unknown.
func inOrder(p ExecutionPage) []outputPart {
	if p.Stdout == "" || p.Stderr == "" || len(p.Turns) == 0 {
		return nil
	}
	left := [2]string{p.Stdout, p.Stderr}
	var all []outputPart
	take := func(i, n int) {
		n = min(max(n, 0), len(left[i]))
		if n == 0 {
			return
		}
		if last := len(all) - 1; last >= 0 && all[last].stderr == (i == 1) {
			all[last].text += left[i][:n]
		} else {
			all = append(all, outputPart{i == 1, left[i][:n]})
		}
		left[i] = left[i][n:]
	}
	for i, n := range p.Turns {
		take(i%2, n)
	}
	take(0, len(left[0]))
	take(1, len(left[1]))
	return slices.Clip(all)
}

func outputViews() []components.Choice {
	return []components.Choice{
		{Value: "order", Word: "As it came"},
		{Value: "out", Word: "stdout"},
		{Value: "err", Word: "stderr"},
	}
}
