package components

import "strconv"

// Problems holds the messages of a refused form by field. "" holds the message of no field.
type Problems map[string]string

// Of returns the message for a field, or "".
func (p Problems) Of(field string) string { return p[field] }

// refusal returns the heading over a refused form.
func refusal(p Problems) string {
	if len(p) == 1 {
		return "Nothing was saved: 1 field needs attention."
	}
	return "Nothing was saved: " + strconv.Itoa(len(p)) + " fields need attention."
}

// exception returns the heading over a form that was saved in part.
func exception(p Problems) string {
	if len(p) == 1 {
		return "1 field needs attention; the rest was saved."
	}
	return strconv.Itoa(len(p)) + " fields need attention; the rest was saved."
}
