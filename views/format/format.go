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

// LowerFirst returns a word for a sentence's middle.
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

// Title names a profile by its description, or words for none.
func Title(description string) string {
	name, _ := app.SplitDescription(description)
	if name == "" {
		return "Profile without a name"
	}
	return name
}

// ShortHandle returns a handle's beginning, enough to distinguish rows.
func ShortHandle(handle string) string {
	if len(handle) > 8 {
		return handle[:8]
	}
	return handle
}

// Sentence capitalizes a text, and ends several words with a full stop.
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
