package app

import "log/slog"

// IsTemporary reports whether a write failed for lack of space or a locked database. It changed
// nothing, and may succeed later.
func IsTemporary(err error) bool {
	code := CodeOf(err)
	return code == CodeStorageFull || code == CodeStorageBusy
}

// RetryLevel is the log level of a failure that is retried.
func RetryLevel(err error) slog.Level {
	if IsTemporary(err) {
		return slog.LevelWarn
	}
	return slog.LevelError
}
