package redact

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app/redact/derived"
)

// mixed is a text of what begins escapes and numbers, at random: the dearest that is known. Its
// budget doesn't last.
func mixed(n int) string {
	const set = `\%&=u0041x;#`
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, n)
	for i := range out {
		out[i] = set[r.IntN(len(set))]
	}
	return string(out)
}

// TestTogetherIsLikeAlone: what is found, and what is refused when nothing is left of the budget,
// doesn't depend on how many processors there are or on who is faster.
func TestTogetherIsLikeAlone(t *testing.T) {
	parts := []string{logText(nil)[:3*manyBytes]}
	for _, name := range []string{"base64", "ascii85", "reversed", "hex", "zlib", "gzip", "ROT13"} {
		parts = append(parts, hiders[name](logText(nil)[:manyBytes]+long), hiders["base64"](hiders[name](long)))
	}
	for name, text := range map[string]string{"mixed": mixed(manyBytes + 4<<10), "encoded": strings.Join(parts, "\n")} {
		find := func() string {
			root := join(partsOf([]*leaf{{text: text}}), derived.Separator)
			var b strings.Builder
			for _, g := range of(long, other).inspect(root, false) {
				fmt.Fprintln(&b, g.start, g.end, g.by, *g.note)
			}
			return b.String()
		}
		procs := runtime.GOMAXPROCS(1)
		want := find()
		runtime.GOMAXPROCS(max(procs, 4))
		for range 2 {
			if got := find(); got != want {
				t.Errorf("%s: together %.500s\nalone %.500s", name, got, want)
			}
		}
		runtime.GOMAXPROCS(procs)
		if want == "" || name == "mixed" && !strings.Contains(want, "true") {
			t.Errorf("%s: nothing was found, or the budget lasted: %.200s", name, want)
		}
	}
}

// TestRefusedViewsAreMaskedOnce: a view is left out of what is refused only if all that it was made
// of is masked already.
func TestRefusedViewsAreMaskedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		root := &derived.View{Text: make([]byte, 1000)}
		made := []*derived.View{root}
		s := &search{root: root}
		var masked, every [1000]bool
		for range rapid.IntRange(1, 20).Draw(r, "views") {
			v := &derived.View{Parent: rapid.SampledFrom(made).Draw(r, "parent")}
			var b derived.Builder
			for range rapid.IntRange(1, 5).Draw(r, "parts") {
				from := rapid.IntRange(0, len(v.Parent.Text)-1).Draw(r, "from")
				to := rapid.IntRange(from+1, len(v.Parent.Text)).Draw(r, "to")
				b.Add(make([]byte, rapid.IntRange(1, 9).Draw(r, "size")), from, to, derived.Whole)
			}
			v.Text, v.Spans = b.Text, b.Spans
			made = append(made, v)
			s.refuse(v)
			lo, hi := v.ToRoot(0, len(v.Text))
			for i := lo; i < hi; i++ {
				every[i] = true
			}
		}
		for _, g := range s.found {
			for i := g.start; i < g.end; i++ {
				masked[i] = true
			}
		}
		if masked != every {
			r.Fatalf("%v of %d views", s.found, len(made)-1)
		}
	})
}

// TestHeadsAreRefusedTogether: many heads of compressed data in one run are refused together. One
// by one, each would be looked for in all parts of the views that it is in.
func TestHeadsAreRefusedTogether(t *testing.T) {
	t.Parallel()
	root := join(partsOf([]*leaf{{text: mixed(64 << 10)}}), derived.Separator)
	n := 0
	for _, g := range of(long).inspect(root, false) {
		if g.note.unchecked {
			n++
		}
	}
	if n == 0 || n > 300 {
		t.Errorf("%d places were refused", n)
	} else {
		t.Log(n)
	}
}
