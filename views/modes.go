package views

import (
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
)

// mode is one way a script receives a credential, explained.
type mode struct {
	mode    app.Mode
	meaning string
	warning string
}

func modes() []mode {
	return []mode{
		{mode: app.ModeSealed, meaning: "Scripts hold a placeholder and never see the value. Airlock puts it in on the way to its hosts, and takes it out of what they answer."},
		{mode: app.ModeInjected, meaning: "Scripts get the value itself. For what can't be sealed: database passwords, and clients that sign requests with the secret (AWS SigV4, HMAC).",
			warning: "Redaction stops accidents only: a script that means to can send the value to any host of its profile."},
		{mode: app.ModePlain, meaning: "Not secret: a host name, a user name, an address. Scripts get it as it is, and it is not masked in output."},
	}
}

// ModeWord is what people call a mode.
func ModeWord(m app.Mode) string {
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

func modeIcon(m app.Mode) string {
	switch m {
	case app.ModeSealed:
		return "shield"
	case app.ModeInjected:
		return "warn"
	}
	return "plain"
}

// requestPart is a part of a request, explained.
type requestPart struct {
	place   app.Place
	word    string // in a list
	title   string
	meaning string
}

func requestParts() []requestPart {
	return []requestPart{
		{app.PlaceHeader, "the usual credential headers", "Headers, always", "Authorization (Bearer and Basic) and the usual API key headers, or those that you name below."},
		{app.PlacePath, "the path", "Path", "For addresses that contain the key, such as /bot<KEY>/send. Servers and proxies often log it."},
		{app.PlaceQuery, "the query", "Query", "For addresses that end in ?api_key=… Servers and proxies often log it."},
		{app.PlaceBody, "the body", "Body", "JSON, forms and text up to 1 MiB, such as client_secret in a token request."},
	}
}

// PlaceField is the name of the tick for a place.
func PlaceField(p app.Place) string { return "place." + string(p) }

// PlaceWords names places in a sentence, with the headers that a credential names: the header Cookie and the query.
func PlaceWords(all []app.Place, headers []string) string {
	var words []string
	for _, p := range requestParts() {
		if p.place == app.PlaceHeader && len(headers) > 0 {
			p.word = "the header " + headers[0]
			if len(headers) > 1 {
				p.word = "the headers " + enumerate(headers)
			}
		}
		if p.place == app.PlaceHeader || slices.Contains(all, p.place) {
			words = append(words, p.word)
		}
	}
	return enumerate(words)
}

// enumerate joins words as a sentence does.
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
