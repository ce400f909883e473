package profileview

import (
	"github.com/computclaw/airlock/views/components"
)

// ExpiryForm is the choice of an end date.
type ExpiryForm struct {
	Choice string // "keep", "never", a number of days, or "date"
	Date   string
}

func expiryChoices(has bool) []components.Choice {
	all := components.Choices(
		"never", "No end date", "1", "In 1 day", "7", "In 7 days", "30", "In 30 days", "90", "In 90 days",
		"365", "In 1 year", "date", "On a date")
	if has {
		all = append(components.Choices("keep", "Leave as it is"), all...)
	}
	return all
}
