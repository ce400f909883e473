package runner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/redact"
)

// A progress bar writes its line anew, again and again: its last state is kept. However the output
// is cut into pieces, the same comes out, and the turns of the streams add up.
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
			var turns interleave
			out := newCapture(func() checkedRedactor { return checkedRedactor{red: red} }, 1000,
				func(n int) { turns.add(false, n) }, func(n int) { turns.remove(false, n) }, func() {}, func() {})
			for rest := printed; rest != ""; {
				n := min(size, len(rest))
				out.write([]byte(rest[:n]))
				rest = rest[n:]
			}
			whole, total := out.whole(false), 0
			for _, n := range turns.list() {
				total += n
			}
			if string(whole.Raw) != want || whole.Cut || total != len(want) {
				t.Errorf("%q in pieces of %d: %q, cut %v, turns of %d bytes", printed, size, whole.Raw, whole.Cut, total)
			}
		}
	}
}

// A bar that prints more than the limit is not cut: what counts is what is left of it.
func TestLongProgressBarsAreNotCut(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	red := redact.New(nil)
	out := newCapture(func() checkedRedactor { return checkedRedactor{red: red} }, limit, func(int) {}, func(int) {},
		func() {}, func() {})
	for n := range 5000 {
		out.write(fmt.Appendf(nil, "\r%9d", n))
		if n%1000 == 0 {
			out.write([]byte("\r" + strings.Repeat("=", 2*limit+captureSlack) + "\r"))
		}
	}
	out.write([]byte("\rall done\nresult\n"))
	if whole := out.whole(false); string(whole.Raw) != "all done\nresult\n" || whole.Cut {
		t.Errorf("%d bytes are kept, cut %v: %.100q", len(whole.Raw), whole.Cut, whole.Raw)
	}
	out.write([]byte(strings.Repeat("=", 2*limit+captureSlack) + "\n"))
	if whole := out.whole(false); !whole.Cut {
		t.Error("a long line is not cut")
	}
}
