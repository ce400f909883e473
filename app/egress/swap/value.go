package swap

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/computclaw/airlock/app"
)

// value returns what is put in for the placeholder, or looked for in responses.
func (c *Credential) value() string { return c.Value.Reveal() }

// Values are texts that are looked for in answers, in all their spellings. They are compiled when an answer first needs
// them, are immutable, may be shared by executions and print nothing of what they hold.
type Values struct {
	secrets []string // each once
	machine func() *machine
}

// NewValues returns Values of secrets. Empty ones are left out.
func NewValues(secrets []app.Secret) *Values {
	v := &Values{}
	for _, s := range secrets {
		if text := s.Reveal(); text != "" && !slices.Contains(v.secrets, text) {
			v.secrets = append(v.secrets, text)
		}
	}
	v.machine = sync.OnceValue(v.compile)
	return v
}

// Format prints nothing of what it holds.
func (v *Values) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("swap.Values")) }

func (v *Values) compile() *machine {
	var needles []needle
	for owner, value := range v.secrets {
		for _, f := range forms(value) {
			needles = append(needles, needle{f, owner})
		}
	}
	return newMachine(needles)
}

// Withheld is what stands in an answer for a value that the execution was not given.
const Withheld = "[REDACTED]"

// answers makes the work on one response: the values that the instance knows of the host, and those of the execution.
func (s *Swapper) answers(t Target, known *Values) *incoming {
	in := &incoming{}
	for _, values := range []*Values{known, s.values} {
		if values != nil && len(values.secrets) > 0 {
			in.searches = append(in.searches, valueSearch{values.machine(), s.table(values, t)})
		}
	}
	return in
}

// table says what is shown in responses of a target for each of the values. Of keys with one value, that which belongs to the target counts, and then the
// first by name.
func (s *Swapper) table(values *Values, t Target) table {
	out := make(table, len(values.secrets))
	for i, value := range values.secrets {
		shown := Withheld
		for j := range s.credentials {
			c := &s.credentials[j]
			if c.value() != value {
				continue
			}
			if shown == Withheld || c.belongs(t.Host, t.Port) {
				shown = c.Placeholder
			}
			if c.belongs(t.Host, t.Port) {
				break
			}
		}
		for k := range masks {
			out[i][k] = k.write(shown)
		}
	}
	return out
}

// incoming is the work on one response.
type incoming struct{ searches []valueSearch }

type valueSearch struct {
	machine *machine
	table   table
}

// text replaces values in a text.
func (i *incoming) text(text string) string {
	for _, s := range i.searches {
		r := &replacer{machine: s.machine, table: s.table}
		text = string(r.finish(r.write(nil, []byte(text))))
	}
	return text
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
