package settingsview

import (
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/views/format"
)

// keptWords tells the retention.
func keptWords(p retention.Policy) string {
	switch {
	case p.Days == 0 && p.Count == 0:
		return "Everything."
	case p.Count == 0:
		return "Executions of the last " + format.Count(int64(p.Days), "day") + "."
	case p.Days == 0:
		return "The newest " + format.Count(int64(p.Count), "execution") + " of each profile."
	}
	return "Executions of the last " + format.Count(int64(p.Days), "day") +
		", and of each profile at most the newest " + format.Count(int64(p.Count), "execution") + "."
}

// supersededWords tells how long replaced values are kept.
func supersededWords(p retention.Policy) string {
	if p.Superseded == 0 {
		return "None."
	}
	return "Sealed for " + format.Count(int64(p.Superseded), "day") + ", so that output is still searched for them."
}

// sizeWords says how large the database is.
func (p SettingsPage) sizeWords() string {
	if p.Reusable == 0 {
		return format.Bytes(p.Database)
	}
	return format.Bytes(p.Database) + ", " + format.Bytes(p.Reusable) + " of it free"
}

// diskWords tells the database disk's free space and its minimum.
func (p SettingsPage) diskWords() string {
	return format.Bytes(p.Disk.Free) + " of " + format.Bytes(p.Disk.Size) +
		". New executions are refused when less than " + format.Bytes(p.Disk.Reserve) +
		" is free on the disk and in the database together."
}
