package redact

import "unicode/utf8"

// maxTurns bounds how many turns of two streams are reported; the rest is one turn.
const maxTurns = 4000

// turnsOf says how two streams took turns after they were redacted. A turn that ended within a
// secret ends behind its mask, so it says nothing about the secret.
func (m *machine) turnsOf(stdout, stderr *leaf, turns []int) []int {
	if len(stdout.text) == 0 || len(stderr.text) == 0 {
		return nil
	}
	walks := [2]walk{{leaf: stdout}, {leaf: stderr}}
	turns = turns[:min(len(turns), maxTurns)]
	lengths := make([]int, len(turns))
	for i, n := range turns {
		lengths[i] = m.forward(&walks[i%2], n)
	}
	return lengths
}

// walk is a place in a text and the same place in the text as it is rendered.
type walk struct {
	leaf    *leaf
	raw     int // where the walk stands
	wanted  int // where the turns so far end; less than raw if that is within a secret
	regions int // that lie before
}

// forward moves a walk by n bytes of the text and returns how many bytes of the rendered text that
// is.
func (m *machine) forward(k *walk, n int) (rendered int) {
	text := k.leaf.text
	k.wanted = min(k.wanted+max(n, 0), len(text))
	for k.raw < k.wanted {
		if k.regions < len(k.leaf.regions) && k.leaf.regions[k.regions].start <= k.raw {
			g := &k.leaf.regions[k.regions]
			rendered += len(m.mask(g))
			k.raw = g.end
			k.regions++
			continue
		}
		to := k.wanted
		if k.regions < len(k.leaf.regions) {
			to = min(to, k.leaf.regions[k.regions].start)
		}
		for to == k.wanted && to > k.raw && to < len(text) && !utf8.RuneStart(text[to]) {
			to--
		}
		if to == k.raw {
			break // the rest of a character comes with the next turn
		}
		rendered += len(valid(text[k.raw:to]))
		k.raw = to
	}
	return rendered
}
