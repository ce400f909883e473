package runner

import (
	"encoding/json"

	"github.com/computclaw/airlock/app/redact"
)

// twoPass redacts an execution's own values first, then others that its hosts may have shown it.
// The second pass sees exactly what the first lets through.
type twoPass struct {
	own    *redact.Redactor
	others *redact.Redactor // nil: there are no others
	err    error            // the others could not be read, so nothing is let through
}

// unchecked returns the stand-in for a text that could not be redacted.
func unchecked() (redact.Clean, redact.Hits) {
	return redact.Fixed("[REDACTED: could not be checked]"), redact.Hits{{Count: 1}}
}

// Text redacts one text.
func (r twoPass) Text(text string) (redact.Clean, redact.Hits) {
	return r.secondPass(r.own.Text(text))
}

// Cut redacts a text whose end may be missing. It doesn't mask what may begin a value of others: a script that never
// held one could find it byte by byte.
func (r twoPass) Cut(text string) (redact.Clean, redact.Hits) {
	return r.secondPass(r.own.Cut(text))
}

func (r twoPass) secondPass(clean redact.Clean, hits redact.Hits) (redact.Clean, redact.Hits) {
	switch {
	case r.err != nil:
		return unchecked()
	case r.others == nil:
		return clean, hits
	}
	clean, more := r.others.Text(clean.String())
	return clean, hits.Plus(ofOthers(more))
}

// After redacts a text together with what was said before it.
func (r twoPass) After(said []string, text string) (redact.Clean, redact.Hits) {
	clean, hits := r.own.After(said, text)
	switch {
	case r.err != nil:
		return unchecked()
	case r.others == nil:
		return clean, hits
	}
	clean, more := r.others.After(said, clean.String())
	return clean, hits.Plus(ofOthers(more))
}

// Texts redacts several texts as one.
func (r twoPass) Texts(texts []string) []redact.Clean {
	clean, _ := r.own.Texts(texts)
	switch {
	case r.err != nil:
		for i := range clean {
			clean[i], _ = unchecked()
		}
	case r.others != nil:
		clean, _ = r.others.Texts(stringsOf(clean))
	}
	return clean
}

// Execution redacts everything that came out of an execution, as one.
func (r twoPass) Execution(x redact.Execution) (redact.Cleaned, error) {
	if r.err != nil {
		return redact.Cleaned{}, r.err
	}
	clean, err := r.own.Execution(x)
	if err != nil || r.others == nil {
		return clean, err
	}
	second := redact.Execution{
		Stdout: redact.Output{Raw: []byte(clean.Stdout.String())}, Stderr: redact.Output{Raw: []byte(clean.Stderr.String())},
		Turns: clean.Turns, Error: clean.Error.String(), Network: stringsOf(clean.Network), Said: x.Said,
	}
	if clean.Result != nil {
		second.Result = json.RawMessage(clean.Result.String())
	}
	twice, err := r.others.Execution(second)
	for channel, hits := range twice.Hits {
		twice.Hits[channel] = ofOthers(hits)
	}
	for channel, hits := range clean.Hits {
		twice.Hits[channel] = hits.Plus(twice.Hits[channel])
	}
	return twice, err
}

// ofOthers lists hits of others' values by the credential, since the profile has no key of the name.
func ofOthers(hits redact.Hits) redact.Hits {
	var out redact.Hits
	for _, h := range hits {
		if h.Name != "" {
			h.Name, h.Rule = "", "value of the credential "+h.Name
		}
		out = out.Plus(redact.Hits{h})
	}
	return out
}

func stringsOf(clean []redact.Clean) []string {
	texts := make([]string, len(clean))
	for i, c := range clean {
		texts[i] = c.String()
	}
	return texts
}
