package settingsview

import (
	"time"
)

// SessionRow is one open session.
type SessionRow struct {
	ID        string
	PersonID  string
	Person    string
	Address   string
	Browser   string // User-Agent header
	CreatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time
}
