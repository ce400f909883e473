package files

import "sync/atomic"

type counts struct{ withheld, collected, refused atomic.Int64 }

// Counts are what happened to files and artifacts since the start.
type Counts struct {
	Withheld  int64 // artifacts whose content was not kept, for whatever reason
	Collected int64 // contents that were removed, since nothing refers to them
	Refused   int64 // contents that a profile's quota refused
}

// Counts returns the counts.
func (f *Files) Counts() Counts {
	return Counts{f.counts.withheld.Load(), f.counts.collected.Load(), f.counts.refused.Load()}
}

// CountWithheld counts an artifact that is withheld.
func (f *Files) CountWithheld() { f.counts.withheld.Add(1) }
