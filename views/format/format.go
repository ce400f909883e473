package format

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// Mode names a mode.
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

// LowerFirst returns a word as it stands in the middle of a sentence.
func LowerFirst(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToLower(word[:1]) + word[1:]
}

// Status names a status.
func Status(s app.Status) string {
	switch s {
	case app.StatusAwaitingApproval:
		return "Waiting for approval"
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

// State names a profile's state.
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

// Title returns the name of a profile by its description, or words for an empty one.
func Title(description string) string {
	name, _ := app.SplitDescription(description)
	if name == "" {
		return "Profile without a name"
	}
	return name
}

// ShortHandle returns the beginning of a handle, enough to tell rows apart.
func ShortHandle(handle string) string {
	if len(handle) > 8 {
		return handle[:8]
	}
	return handle
}

// Sentence begins a text with a capital letter, and ends it with a full stop if it has several
// words.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.ContainsAny(text[len(text)-1:], ".?") && strings.Contains(text, " ") {
		text += "."
	}
	return text
}
