package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// bench makes batches of cases. It is for one goroutine.
type bench struct {
	plan     plan
	set      *patterns.Set
	encoders []encoder
	pass     func(a attempt, r *rand.Rand) (shown, error) // usually send
	change   func(*instance, *batch) error                // before the detector looks; nil: nothing
}

func newBench(t *testing.T, p plan) *bench {
	set, err := patterns.New(patterns.Config{})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{plan: p, set: set, encoders: encoders()}
	b.pass = func(a attempt, r *rand.Rand) (shown, error) { return a.send(r, b.set) }
	return b
}

// attempt makes a case of its number, with the randomness that is left for sending it.
func (b *bench) attempt(n int) (attempt, *rand.Rand) {
	r := rand.New(rand.NewPCG(*seed, uint64(n)))
	return makeAttempt(r, b.encoders, *depth), r
}

// some sends the cases that count, keeps them in an instance in dir, which must be empty, and has the
// detector look at everything. tried is how many these are.
func (b *bench) some(ctx context.Context, d *detector, dir string, from, to int) (tried int, found []finding,
	err error) {
	var entries []entry
	for n := from; n < to; n++ {
		a, r := b.attempt(n)
		if *only != "" && !slices.Contains(a.Forms, *only) {
			continue
		}
		s, err := b.pass(a, r)
		if err != nil {
			return 0, nil, fmt.Errorf("case %d: %w", n, err)
		}
		entries = append(entries, entry{n, a, s})
	}
	if len(entries) == 0 { // none of them has the encoder that counts
		return 0, nil, nil
	}
	found, err = b.kept(ctx, d, dir, entries)
	return len(entries), found, err
}

// kept has the detector look at entries, and at the instance that keeps them.
func (b *bench) kept(ctx context.Context, d *detector, dir string, entries []entry) (found []finding, err error) {
	h, err := openInstance(ctx, b.plan, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	list := together(entries)
	if err := h.keep(ctx, list); err != nil {
		return nil, err
	}
	request, err := h.everything(ctx, list)
	if err == nil && b.change != nil {
		err = b.change(h, &request)
	}
	if err != nil {
		return nil, err
	}
	return d.look(request)
}

// everything is all that there is to see.
func (h *instance) everything(ctx context.Context, list []*execution) (b batch, err error) {
	for _, x := range list {
		k := kept{Made: []string{x.handle, format.ShortHandle(x.handle), x.id, x.question}}
		for _, e := range x.all() {
			k.Cases = append(k.Cases, e.sent())
		}
		if k.Page, err = h.get(ctx, paths.ExecutionURL(x.handle)); err != nil {
			return b, err
		}
		if k.Answer, err = h.get(ctx, "/executions/"+x.id); err != nil {
			return b, err
		}
		b.Executions = append(b.Executions, k)
	}
	for _, path := range []string{paths.Executions, paths.Root, paths.Audit, "/executions"} {
		text, err := h.get(ctx, path)
		if err != nil {
			return b, err
		}
		b.Pages = append(b.Pages, text)
	}
	b.Files, err = h.files()
	return b, err
}

func (e entry) sent() sent {
	kind := e.Channel + ": " + cmp.Or(strings.Join(e.Forms, " in "), "as it is")
	switch {
	case e.Field:
		kind += ", a field"
	case e.Value != "":
		kind += ", a part"
	}
	s := sent{Case: e.number, Kind: kind, Secret: e.Secret, Depth: len(e.Forms)}
	s.Out, s.JSON = e.texts()
	return s
}
