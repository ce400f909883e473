package format

import (
	"strings"

	"github.com/computclaw/airlock/app"
)

// Mode is what people call a mode.
func Mode(m app.Mode) string {
	switch m {
	case app.ModeSealed:
		return "Sealed"
	case app.ModeInjected:
		return "Injected"
	case app.ModePlain:
		return "Plain"
	}
	return string(m)
}

// Enumerate joins words as a sentence does.
func Enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func Lower(s string) string { return string(s[0]|0x20) + s[1:] }

// gap stands between a number and its unit: a space at which no line breaks.
const gap = "\u00a0"

// LowerFirst is a word in the middle of a sentence.
func LowerFirst(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToLower(word[:1]) + word[1:]
}

// Status is what people call a status.
func Status(s app.Status) string {
	switch s {
	case app.StatusPending:
		return "Queued"
	case app.StatusRunning:
		return "Running"
	case app.StatusAwaitingLLM:
		return "Waiting for LLM"
	case app.StatusCompleted:
		return "Completed"
	case app.StatusError:
		return "Error"
	case app.StatusTimeout:
		return "Timeout"
	case app.StatusCancelled:
		return "Cancelled"
	}
	return string(s)
}

// State is what people call a profile's state.
func State(s app.State) string {
	switch s {
	case app.StateUnlocked:
		return "Being set up"
	case app.StateLocked:
		return "Locked"
	case app.StateRevoked:
		return "Revoked"
	case app.StateExpired:
		return "Expired"
	}
	return string(s)
}

// Title is a profile's description on one line, or words for one that has none.
func Title(description string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(description), "\n")
	if line == "" {
		return "Profile without a name"
	}
	return app.Clip(line, 80)
}

// ShortHandle is the beginning of a handle, enough to tell rows apart.
func ShortHandle(handle string) string {
	if len(handle) > 8 {
		return handle[:8]
	}
	return handle
}
