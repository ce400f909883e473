package layout

import (
	"time"
)

// Disk is how much room there is for what Airlock stores. Full: nothing new is taken.
type Disk struct {
	Free    int64
	Size    int64
	Reserve int64
	Full    bool
}

func KeysChoice(off bool) string {
	if off {
		return "off"
	}
	return "on"
}

// Shell is what surrounds every page.
type Shell struct {
	Title    string
	Section  Section
	Theme    string // "light", "dark", or "" to follow the system
	Notice   string // what the last action did; "" if nothing is to be said
	Warns    bool   // the notice is of something that is not well
	Version  string
	Base     string // this instance's address as agents reach it, without trailing slash
	Now      time.Time
	NeedsYou int // entries of the inbox
	Paused   Paused
	Disk     Disk
	DataLoss string // why the data won't outlive this process, and what to do; "" if it will
	NoKeys   bool   // single keys are no commands
	Person   string // who is logged in; "" where nobody is
}

// Paused says since when executions are held in the queue, and by whom; the zero Paused says that they are not.
type Paused struct {
	Since time.Time
	By    string
}
