package swap

import (
	"net/http"
	"strings"
)

// value returns what is put in for the placeholder, or looked for in responses.
func (c *Credential) value() string { return c.Value.Reveal() }

// valueSet finds the values of an execution in all their forms.
type valueSet struct {
	machine *machine        // nil if there is nothing to find
	owners  [][]*Credential // of each distinct value, by key
}

func newValueSet(credentials []Credential) *valueSet {
	set := &valueSet{}
	index := map[string]int{}
	var needles []needle
	for i := range credentials {
		c := &credentials[i]
		value := c.value()
		owner, found := index[value]
		if !found {
			owner = len(set.owners)
			index[value] = owner
			set.owners = append(set.owners, nil)
			for _, f := range forms(value) {
				needles = append(needles, needle{f, owner})
			}
		}
		set.owners[owner] = append(set.owners[owner], c)
	}
	if len(needles) > 0 {
		set.machine = newMachine(needles)
	}
	return set
}

// table says what is shown in responses of a target. Of keys with one value, that which belongs to the target counts, and then the first by name.
func (v *valueSet) table(t Target) table {
	out := make(table, len(v.owners))
	for i, owners := range v.owners {
		shown := owners[0]
		for _, c := range owners {
			if c.belongs(t.Host, t.Port) {
				shown = c
				break
			}
		}
		for k := range masks {
			out[i][k] = k.write(shown.Placeholder)
		}
	}
	return out
}

// reader makes the work on one response.
func (v *valueSet) incoming(t Target) *incoming { return &incoming{v.machine, v.table(t)} }

// incoming is the work on one response.
type incoming struct {
	machine *machine
	table   table
}

func (i *incoming) replacer() *replacer { return &replacer{machine: i.machine, table: i.table} }

// text replaces values in a text.
func (i *incoming) text(text string) string {
	r := i.replacer()
	return string(r.finish(r.write(nil, []byte(text))))
}

// header replaces values in the values of headers, in place, and drops headers with a value in the name.
func (i *incoming) header(header http.Header) {
	for name, values := range header {
		if lower := strings.ToLower(name); i.text(lower) != lower {
			delete(header, name)
			continue
		}
		for j, value := range values {
			values[j] = i.text(value)
		}
	}
}
