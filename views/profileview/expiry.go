package profileview

import (
	"time"

	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
)

// ExpiryForm is the choice of an end date.
type ExpiryForm struct {
	Choice string // "keep", "never", a number of days, or "date"
	Date   string
}

// expiryChoices are the lengths on offer.
func expiryChoices(has bool) []components.Choice {
	all := []components.Choice{
		{Value: "never", Word: "No end date"},
		{Value: "1", Word: "In 1 day"},
		{Value: "7", Word: "In 7 days"},
		{Value: "30", Word: "In 30 days"},
		{Value: "90", Word: "In 90 days"},
		{Value: "365", Word: "In 1 year"},
		{Value: "date", Word: "On a date"},
	}
	if has {
		all = append([]components.Choice{{Value: "keep", Word: "Leave as it is"}}, all...)
	}
	return all
}

func expiryWords(at, now time.Time) string {
	switch {
	case at.IsZero():
		return "The profile has no end date."
	case !now.Before(at):
		return "The profile expired on " + format.Day(at) + ". Choose a later end to let it run again; its id stays the same."
	}
	return "The profile ends on " + format.Day(at) + "."
}
