package components

import "strconv"

// Problems holds the messages of a refused form by field. "" holds the message of no field.
type Problems map[string]string

// Of returns the message for a field, or "".
func (p Problems) Of(field string) string { return p[field] }

// refusal returns the heading over a refused form.
func refusal(p Problems) string {
	if len(p) == 1 {
		return "Nothing was saved: one entry below needs a change."
	}
	return "Nothing was saved: " + strconv.Itoa(len(p)) + " entries below need a change."
}

// exception returns the heading over a form that was saved in part.
func exception(p Problems) string {
	if len(p) == 1 {
		return "Saved, except for one entry below."
	}
	return "Saved, except for " + strconv.Itoa(len(p)) + " entries below."
}
