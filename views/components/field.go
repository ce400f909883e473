package components

import (
	"strings"

	"github.com/a-h/templ"
)

// ModeField names the mode field of a new credential.
func ModeField(key string) string { return "mode." + key }

// HostsField names the hosts field of a new credential.
func HostsField(key string) string { return "hosts." + key }

// DescribeField ties an input to its hint and message.
func DescribeField(id string, hinted bool, message string) templ.Attributes {
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
