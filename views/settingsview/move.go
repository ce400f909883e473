package settingsview

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// MoveTitle is the title of the exports and imports page.
const MoveTitle = "Export & import"

// MovePage is the page for exports and imports.
type MovePage struct {
	layout.Shell
	Profiles  []app.Profile           // to choose from
	Points    []transfer.RestorePoint // copies from before imports
	Artifacts int64                   // bytes of the contents that executions left
	Retired   time.Time               // zero: it is not
	By        string                  // who retired it
	KeyFrom   string                  // where the instance key is from
	KeyID     string
	KeyRisk   string   // why key and data are not apart; "" if they are
	History   bool     // is exported
	Left      bool     // so is what executions left
	Some      bool     // export only Ticked
	Ticked    []string // handles
	Problems  components.Problems
}

// moveIndex lists the sections of Export & import.
func moveIndex(p MovePage) []components.IndexEntry {
	list := []components.IndexEntry{{ID: "export", Word: "Export"}, {ID: "import", Word: "Import"}}
	if len(p.Points) > 0 {
		list = append(list, components.IndexEntry{ID: "points", Word: "Restore points"})
	}
	return append(list,
		components.IndexEntry{ID: "retire", Word: "Retire"},
		components.IndexEntry{ID: "key", Word: "Instance key"})
}
