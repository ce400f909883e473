package app

import "log/slog"

// IsTemporary reports whether a write failed for want of room, or because another process kept the
// database. It changed nothing, and may well succeed when it is tried again.
func IsTemporary(err error) bool {
	code := CodeOf(err)
	return code == CodeStorageFull || code == CodeStorageBusy
}

// RetryLevel is the level at which a failure is logged that is tried again.
func RetryLevel(err error) slog.Level {
	if IsTemporary(err) {
		return slog.LevelWarn
	}
	return slog.LevelError
}
