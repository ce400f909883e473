package redact

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app/secrets"
)

// TestExtend has the pairs of the table at extend.
func TestExtend(t *testing.T) {
	t.Parallel()
	r := &Redactor{values: []secrets.Resolved{{Key: "A"}, {Key: "B"}, {Key: "C"}},
		needles: []needle{{owner: 0, shows: "wxyz"}, {owner: 1}, {owner: 2, sealed: true}}}
	at := func(start, end int, of worth, needle int) region {
		return region{start: start, end: end, length: end - start, worth: of, needle: needle}
	}
	a, placeholder := at(0, 30, ofValue, 0), at(0, 20, ofPlaceholder, 2)
	with := func(g region, change func(*region)) region { change(&g); return g }
	to := func(g region, start, end int) region { g.start, g.end = start, end; return g }
	mixed := func(g *region) { g.mixed = true }
	part := func(g *region) { g.part = true }
	around := func(g *region) { g.layer = "around the placeholder of C" }
	for name, c := range map[string]struct{ g, h, want region }{
		"a value within":               {a, at(5, 10, ofValue, 1), a},
		"a value in what is shown":     {a, at(20, 28, ofValue, 1), with(a, mixed)},
		"the same value within":        {a, at(20, 28, ofValue, 0), a},
		"a part in what is shown":      {a, with(at(20, 28, ofValue, 1), part), a},
		"a whole value over a part":    {with(a, part), at(0, 30, ofValue, 1), at(0, 30, ofValue, 1)},
		"a longer value, later":        {a, at(20, 60, ofValue, 1), to(at(20, 60, ofValue, 1), 0, 60)},
		"a shorter value, later":       {a, at(25, 40, ofValue, 1), to(a, 0, 40)},
		"a rule behind a value":        {a, at(10, 50, ofRule, 0), to(a, 0, 50)},
		"a value in a rule":            {at(0, 50, ofRule, 0), at(10, 40, ofValue, 1), to(at(10, 40, ofValue, 1), 0, 50)},
		"a value in a placeholder":     {placeholder, at(5, 10, ofValue, 1), to(at(5, 10, ofValue, 1), 0, 20)},
		"a value in what is unchecked": {at(0, 50, ofUnchecked, -1), at(10, 40, ofValue, 1), to(at(10, 40, ofValue, 1), 0, 50)},
		"a rule in a placeholder":      {placeholder, at(5, 15, ofRule, 0), placeholder},
		"a rule behind a placeholder":  {placeholder, at(5, 30, ofRule, 0), with(to(at(5, 30, ofRule, 0), 0, 30), around)},
		"a placeholder in a rule":      {at(0, 30, ofRule, 0), at(5, 25, ofPlaceholder, 2), with(at(0, 30, ofRule, 0), around)},
		"an unchecked rule":            {at(0, 30, ofRule, 0), at(5, 40, ofUnchecked, -1), to(at(5, 40, ofUnchecked, -1), 0, 40)},
		"an unchecked placeholder":     {placeholder, at(5, 40, ofUnchecked, -1), to(at(5, 40, ofUnchecked, -1), 0, 40)},
	} {
		got := c.g
		r.extend(&got, &c.h)
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(region{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
