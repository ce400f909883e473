package capture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/redact"
)

// Only the last state of a progress bar is kept. Output gives the same text and sum of turns,
// however it is cut into pieces.
func TestProgressBarsKeepTheirLastState(t *testing.T) {
	t.Parallel()
	red := redact.New(nil)
	for printed, want := range map[string]string{
		"start\n 10%\r 50%\r100%\ndone\n": "start\n100%\ndone\n",
		"\r1\r22\r333":                    "333",
		"dos\r\nlines\r\n":                "dos\r\nlines\r\n",
		"odd\r\r\nbreak\n":                "odd\r\r\nbreak\n",
		"unfinished 40%\r":                "unfinished 40%\r",
		"a\r\rb\n":                        "b\n",
		"no returns\n":                    "no returns\n",
		"bar\r   \rnext\n":                "next\n",
		"\r\n\r\n":                        "\r\n\r\n",
		"":                                "",
	} {
		for size := 1; size <= max(1, len(printed)); size++ {
			pair := quiet(1000, func() (*redact.Redactor, error) { return red, nil })
			out := pair.Stdout
			for rest := printed; rest != ""; {
				n := min(size, len(rest))
				out.Add([]byte(rest[:n]))
				rest = rest[n:]
			}
			whole, total := out.Whole(false), 0
			for _, n := range pair.Turns() {
				total += n
			}
			if string(whole.Raw) != want || whole.Cut || total != len(want) {
				t.Errorf("%q in pieces of %d: %q, cut %v, turns of %d bytes", printed, size, whole.Raw, whole.Cut, total)
			}
		}
	}
}

// A progress bar's remaining text counts towards the limit, not all it printed.
func TestLongProgressBarsAreNotCut(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	red := redact.New(nil)
	out := quiet(limit, func() (*redact.Redactor, error) { return red, nil }).Stdout
	for n := range 5000 {
		out.Add(fmt.Appendf(nil, "\r%9d", n))
		if n%1000 == 0 {
			out.Add([]byte("\r" + strings.Repeat("=", 2*limit+captureSlack) + "\r"))
		}
	}
	out.Add([]byte("\rall done\nresult\n"))
	if whole := out.Whole(false); string(whole.Raw) != "all done\nresult\n" || whole.Cut {
		t.Errorf("%d bytes are kept, cut %v: %.100q", len(whole.Raw), whole.Cut, whole.Raw)
	}
	out.Add([]byte(strings.Repeat("=", 2*limit+captureSlack) + "\n"))
	if whole := out.Whole(false); !whole.Cut {
		t.Error("a long line is not cut")
	}
}
