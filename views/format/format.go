package format

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

var modes = map[app.Mode]string{
	app.ModeSealed:   "Sealed",
	app.ModeInjected: "Injected",
	app.ModePlain:    "Plain",
}

// Mode names a mode.
func Mode(m app.Mode) string { return cmp.Or(modes[m], string(m)) }

// LowerFirst returns a word for a sentence's middle.
func LowerFirst(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToLower(word[:1]) + word[1:]
}

var statuses = map[app.Status]string{
	app.StatusAwaitingApproval: "Waiting for approval",
	app.StatusPending:          "Queued",
	app.StatusRunning:          "Running",
	app.StatusAwaitingLLM:      "Waiting for LLM",
	app.StatusCompleted:        "Completed",
	app.StatusError:            "Error",
	app.StatusTimeout:          "Timeout",
	app.StatusCancelled:        "Cancelled",
}

// Status names a status.
func Status(s app.Status) string { return cmp.Or(statuses[s], string(s)) }

var states = map[app.State]string{
	app.StateUnlocked: "Being set up",
	app.StateLocked:   "Locked",
	app.StateRevoked:  "Revoked",
	app.StateExpired:  "Expired",
}

// State names a profile's state.
func State(s app.State) string { return cmp.Or(states[s], string(s)) }

// Title names a profile by its description, or words for none.
func Title(description string) string {
	name, _ := app.SplitDescription(description)
	if name == "" {
		return "Profile without a name"
	}
	return name
}

// ShortHandle returns a handle's beginning, enough to distinguish rows.
func ShortHandle(handle string) string { return handle[:min(8, len(handle))] }

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
