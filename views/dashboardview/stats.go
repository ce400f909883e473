package dashboardview

import (
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// StatsPage shows who runs how much, and whether it works.
type StatsPage struct {
	layout.Shell
	Usage Usage
}

// StatsURL shows a period.
func StatsURL(p Period) string { return paths.Stats + "?period=" + p.Value }
