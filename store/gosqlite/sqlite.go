// Package sqlite replaces the driver of gorm's SQLite dialect with modernc.org/sqlite, which keeps
// prepared statements.
//
// Both drivers register the name sqlite, so a program can have only one: go.mod replaces the other.
package sqlite

import "modernc.org/sqlite"

// Error is what the dialect asks for a result code.
type Error = sqlite.Error
