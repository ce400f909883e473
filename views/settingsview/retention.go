package settingsview

import (
	"cmp"
	"strings"

	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/views/format"
)

// keptWords tells the retention.
func keptWords(p retention.Policy) string {
	var all []string
	if p.Days > 0 {
		all = append(all, "executions of the last "+format.Count(int64(p.Days), "day"))
	}
	if p.Count > 0 {
		all = append(all, "the newest "+format.Count(int64(p.Count), "execution")+" of each profile")
	}
	return cmp.Or(format.Sentence(strings.Join(all, ", of these ")), "Everything.")
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
	return format.Bytes(p.Database) + ", " + format.Bytes(p.Reusable) + " of it free"
}

// diskWords tells the database disk's free space and its minimum.
func (p SettingsPage) diskWords() string {
	return format.Bytes(p.Disk.Free) + " of " + format.Bytes(p.Disk.Size) +
		". New executions are refused when less than " + format.Bytes(p.Disk.Reserve) +
		" is free on the disk and in the database together."
}
