package components

import (
	"github.com/a-h/templ"
)

// RefreshOnExecutions makes a list ask for itself again when an execution changes. Older pages stand still, so nothing moves under the reader.
func RefreshOnExecutions(first bool, here string) templ.Attributes {
	if !first {
		return nil
	}
	return templ.Attributes{"hx-get": here, "hx-trigger": "executions from:body, connected from:body", "hx-swap": "innerMorph", "hx-target": "this"}
}

// ReplaceByID marks an element as a replacement of the one with its id, wherever that stands.
func ReplaceByID(yes bool) templ.Attributes {
	if !yes {
		return nil
	}
	return templ.Attributes{"hx-swap-oob": "outerMorph"}
}
