// Package sqlite stands in for the driver that gorm's dialect for SQLite is built on. That driver
// parses a statement on every execution; this is modernc.org/sqlite, which keeps prepared ones. Both
// register the name sqlite, so a program can have only one of them: go.mod puts this one in its place.
package sqlite

import "modernc.org/sqlite"

// Error is what the dialect asks for a result code.
type Error = sqlite.Error
