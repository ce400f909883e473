package runner

import (
	"encoding/json"

	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// Show returns what was submitted as people may see it.
func Show(red *redact.Redactor, s Source) store.Shown { return show(checkedRedactor{red: red}, s) }

// show redacts the script as a text and the inputs as JSON, which keeps their shape.
func show(red checkedRedactor, s Source) store.Shown {
	script, _ := red.Text(string(s.Script))
	if s.Inputs == nil {
		return store.Shown{Script: script}
	}
	cleaned, err := red.Execution(redact.Execution{Result: json.RawMessage(s.Inputs)})
	if err != nil || cleaned.Result == nil {
		return store.Shown{Script: script, Inputs: redact.Fixed(`"[REDACTED: could not be checked]"`)}
	}
	return store.Shown{Script: script, Inputs: *cleaned.Result}
}
