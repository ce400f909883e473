package redact

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Output is what was printed to one stream.
type Output struct {
	Raw []byte
	Cut bool // more would have followed
}

// Execution is everything that an execution gives out at its end.
type Execution struct {
	Stdout, Stderr Output
	Turns          []int // how the streams took turns: lengths in bytes, stdout first
	Error          string
	Result         json.RawMessage // nil if there is none
	Network        []string        // texts of the ledger, in its order
}

// Cleaned is an Execution without secrets.
type Cleaned struct {
	Stdout, Stderr, Error Clean
	Result                *Clean
	Network               []Clean
	Turns                 []int           // of Stdout and Stderr as they are here; nil if only one of them has text
	Hits                  map[string]Hits // by channel: stdout, stderr, error, result, network
}

// Execution is the final pass over everything that an execution gives out. The result keeps its
// shape. Errors wrap ErrJSON: CheckJSON refuses the result, because it is not one valid JSON value
// in UTF-8, or is nested too deeply.
func (r *Redactor) Execution(x Execution) (Cleaned, error) {
	out := Cleaned{Hits: map[string]Hits{}}
	if x.Result != nil {
		result, hits, err := r.result(x.Result)
		if err != nil {
			return Cleaned{}, err
		}
		out.Result = &result
		out.count("result", hits)
	}
	r.streams(x, &out)
	clean, hits := r.Text(x.Error)
	out.Error = clean
	out.count("error", hits)
	out.Network, hits = r.Texts(x.Network)
	out.count("network", hits)
	return out, nil
}

// streams masks both streams, also what was cut into pieces that took turns.
func (r *Redactor) streams(x Execution, out *Cleaned) {
	texts := [2]string{string(x.Stdout.Raw), string(x.Stderr.Raw)}
	var regions [2][]region
	for i, o := range []Output{x.Stdout, x.Stderr} {
		if o.Cut {
			regions[i] = r.findCut(texts[i])
		} else {
			regions[i] = r.find(texts[i])
		}
	}
	if texts[0] != "" && texts[1] != "" {
		r.findJoined(interleave(texts, x.Turns), func(i int, g region) { regions[i] = append(regions[i], g) })
	}
	var clean [2]Clean
	for i, channel := range []string{"stdout", "stderr"} {
		var t tally
		regions[i] = r.merge(regions[i])
		clean[i] = Clean{r.render(texts[i], regions[i], &t)}
		out.count(channel, t.hits())
	}
	out.Stdout, out.Stderr = clean[0], clean[1]
	out.Turns = r.turnsOf(texts, regions, x.Turns)
}

func (c *Cleaned) count(channel string, hits Hits) {
	if len(hits) > 0 {
		c.Hits[channel] = hits
	}
}

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

// joined are parts of texts, put together because they may hold a value that was cut.
type joined struct {
	text  strings.Builder
	parts []part
}

// part is a part of a joined text: where it begins there and in its own text.
type part struct {
	at, from int
	text     int // number of the text
}

// add appends text[from:to] of the text with a number.
func (j *joined) add(number int, text string, from, to int) {
	if from < to {
		j.parts = append(j.parts, part{j.text.Len(), from, number})
		j.text.WriteString(text[from:to])
	}
}

// findJoined calls mask with each place that a value has in a text, if it goes on over parts or
// touches the next one. Only values that are hard to guess count: ordinary texts that stand together
// have words that nobody wrote.
func (r *Redactor) findJoined(j *joined, mask func(number int, g region)) {
	if len(j.parts) < 2 || r.finder.IsEmpty() {
		return
	}
	all := j.text.String()
	for _, g := range append(r.scan(all, r.isStrong), r.findSeparated(all)...) {
		from, to := g.start-1, g.end+1 // an encoded value's first and last bits may stand beside it
		first, _ := slices.BinarySearchFunc(j.parts, from, func(p part, at int) int { return p.at - at - 1 })
		first = max(first-1, 0)
		if first+1 == len(j.parts) || j.parts[first+1].at >= to || g.worth != ofValue {
			continue
		}
		for i := first; i < len(j.parts) && j.parts[i].at < g.end; i++ {
			p, end := j.parts[i], len(all)
			if i+1 < len(j.parts) {
				end = j.parts[i+1].at
			}
			own := g
			own.start, own.end = max(g.start, p.at)-p.at+p.from, min(g.end, end)-p.at+p.from
			own.layer, own.part = strings.TrimPrefix(g.layer+", split", ", "), false
			if own.start < own.end {
				mask(p.text, own)
			}
		}
	}
}

// interleave puts two texts together as they took turns, the first one first.
func interleave(texts [2]string, turns []int) *joined {
	j := &joined{}
	var done [2]int
	for i, n := range turns {
		k := i % 2
		to := min(done[k]+max(n, 0), len(texts[k]))
		j.add(k, texts[k], done[k], to)
		done[k] = to
	}
	for k, text := range texts {
		j.add(k, text, done[k], len(text))
	}
	return j
}
