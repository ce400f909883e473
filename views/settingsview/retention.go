package settingsview

import (
	"time"

	"github.com/computclaw/airlock/views/format"
)

// RetentionState is what is kept of the history, and how large it is.
type RetentionState struct {
	Days       int       // 0: no limit
	Count      int       // of each profile; 0: no limit
	Superseded int       // days for which values that were replaced are searched for
	PassedAt   time.Time // of the last look through the history; zero: none yet
	Last       int64     // executions that it removed
	All        int64     // executions that were ever removed
	Database   int64     // bytes
	Reusable   int64     // of these, bytes that are free
}

// keptWords says what is kept.
func (s RetentionState) keptWords() string {
	switch {
	case s.Days == 0 && s.Count == 0:
		return "Everything."
	case s.Count == 0:
		return "Executions of the last " + format.Count(int64(s.Days), "day") + "."
	case s.Days == 0:
		return "The newest " + format.Count(int64(s.Count), "execution") + " of each profile."
	}
	return "Executions of the last " + format.Count(int64(s.Days), "day") +
		", and of each profile at most the newest " + format.Count(int64(s.Count), "execution") + "."
}

// supersededWords says how long values that were replaced are kept.
func (s RetentionState) supersededWords() string {
	if s.Superseded == 0 {
		return "None."
	}
	return "Sealed for " + format.Count(int64(s.Superseded), "day") + ", so that output is still searched for them."
}

// sizeWords says how large the database is.
func (s RetentionState) sizeWords() string {
	if s.Reusable == 0 {
		return format.Bytes(s.Database)
	}
	return format.Bytes(s.Database) + ", " + format.Bytes(s.Reusable) + " of it free"
}

// diskWords says how much is free on the database's disk, and how little is too little.
func (p SettingsPage) diskWords() string {
	return format.Bytes(p.Disk.Free) + " of " + format.Bytes(p.Disk.Size) +
		". New executions are refused when less than " + format.Bytes(p.Disk.Reserve) +
		" is free on the disk and in the database together."
}
