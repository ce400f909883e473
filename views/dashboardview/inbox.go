package dashboardview

import (
	"time"

	"github.com/computclaw/airlock/views/layout"
)

// Need is something that waits for a person.
type Need struct {
	Icon   string
	Title  string
	Quoted bool // an agent chose the title
	Detail string
	Code   string // pairing code; "" if it has none
	URL    string
	Action string
	At     time.Time // since when; zero if that is not known
}

// InboxPage lists everything that needs a person, oldest first.
type InboxPage struct {
	layout.Shell
	Needs []Need
}
