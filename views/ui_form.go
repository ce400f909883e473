package views

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// described are the attributes that tie an input to its hint and its message.
func described(id string, hinted bool, message string) templ.Attributes {
	var by []string
	if hinted {
		by = append(by, id+"-hint")
	}
	a := templ.Attributes{}
	if message != "" {
		by = append(by, id+"-wrong")
		a["aria-invalid"] = "true"
	}
	if len(by) > 0 {
		a["aria-describedby"] = strings.Join(by, " ")
	}
	return a
}

// refusal is the heading over a refused form.
func refusal(p Problems) string {
	if len(p) == 1 {
		return "Nothing was saved: one entry below needs a change."
	}
	return "Nothing was saved: " + strconv.Itoa(len(p)) + " entries below need a change."
}

// exception is the heading over a form that was saved in part.
func exception(p Problems) string {
	if len(p) == 1 {
		return "Saved, except for one entry below."
	}
	return "Saved, except for " + strconv.Itoa(len(p)) + " entries below."
}
