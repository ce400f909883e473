package redact

import "encoding/json"

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
