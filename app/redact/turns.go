package redact

import "unicode/utf8"

// maxTurns bounds how many turns of two streams are reported; the rest is one turn.
const maxTurns = 4000

// turnsOf says how two streams took turns after they were redacted. A turn that ended within a
// secret ends behind its mask, so it says nothing about the secret.
func (r *Redactor) turnsOf(texts [2]string, regions [2][]region, turns []int) []int {
	if texts[0] == "" || texts[1] == "" {
		return nil
	}
	walks := [2]walk{{text: texts[0], left: regions[0]}, {text: texts[1], left: regions[1]}}
	turns = turns[:min(len(turns), maxTurns)]
	lengths := make([]int, len(turns))
	for i, n := range turns {
		lengths[i] = r.forward(&walks[i%2], n)
	}
	return lengths
}

// walk is a place in a text and the same place in the text as it is rendered.
type walk struct {
	text   string
	raw    int      // where the walk stands
	wanted int      // where the turns so far end; less than raw if that is within a secret
	left   []region // that lie behind
}

// forward moves a walk by n bytes of the text and returns how many bytes of the rendered text that
// is.
func (r *Redactor) forward(k *walk, n int) (rendered int) {
	k.wanted = min(k.wanted+max(n, 0), len(k.text))
	for k.raw < k.wanted {
		if len(k.left) > 0 && k.left[0].start <= k.raw {
			g := &k.left[0]
			rendered += len(r.mask(g, k.text[g.start:g.end]))
			k.raw, k.left = g.end, k.left[1:]
			continue
		}
		to := k.wanted
		if len(k.left) > 0 {
			to = min(to, k.left[0].start)
		}
		for to == k.wanted && to > k.raw && to < len(k.text) && !utf8.RuneStart(k.text[to]) {
			to--
		}
		if to == k.raw {
			break // the rest of a character comes with the next turn
		}
		rendered += len(valid(k.text[k.raw:to]))
		k.raw = to
	}
	return rendered
}
