package layout

import (
	"net/http"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

// Disk is the data disk's space in bytes.
type Disk struct {
	Free    int64
	Size    int64
	Reserve int64 // that has to stay free
	Full    bool  // Airlock accepts nothing new
}

// Shell is what surrounds every page.
type Shell struct {
	Title    string
	Section  Section
	Theme    string // "light", "dark", or "" to follow the system
	Notice   string // what the last action did; "" for none
	Warns    bool   // the notice is a warning
	Version  string
	Base     string // this instance's address for agents, without trailing slash
	Now      time.Time
	NeedsYou int // entries of the inbox
	Paused   Paused
	Disk     Disk
	DataLoss string // why the data is lost at a restart, and what to do; "" if it is kept
	Keys     string // "off": single keys do nothing
	Person   string // who is logged in; "" for nobody
	Role     app.Role
}

// Can reports whether the page's person may send a route's form.
func (s Shell) Can(pattern string) bool {
	return s.Role.Includes(paths.RoleFor(http.MethodPost, pattern))
}

// CanOpen reports whether the page's person may open a route's page.
func (s Shell) CanOpen(pattern string) bool {
	return s.Role.Includes(paths.RoleFor(http.MethodGet, pattern))
}

// Paused tells since when and by whom executions are paused, or is zero.
type Paused struct {
	Since time.Time
	By    string
}
