package components

import (
	"slices"
	"strconv"
	"strings"
)

// Problems maps a refused form's fields to messages. "" maps to the general one.
type Problems map[string]string

// Of returns the message for a field, or "".
func (p Problems) Of(field string) string { return p[field] }

type listedProblem struct {
	field string
	text  string
}

// listMessages returns the fields' messages, a row's together. A row's message begins with its
// name, such as API_KEY of value.API_KEY.
func (p Problems) listMessages() []listedProblem {
	var all []listedProblem
	for field, message := range p {
		if field == "" || message == "" {
			continue
		}
		if _, row, ok := strings.Cut(field, "."); ok && !isNumber(row) {
			message = row + ": " + message
		}
		all = append(all, listedProblem{field, message})
	}
	slices.SortFunc(all, func(a, b listedProblem) int {
		return strings.Compare(a.text+a.field, b.text+b.field)
	})
	return all
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// attention counts a refused form's messages.
func attention(p Problems) string {
	if len(p) == 1 {
		return "1 field needs attention"
	}
	return strconv.Itoa(len(p)) + " fields need attention"
}
