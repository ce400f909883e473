package components

import (
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// RequestPart explains one part of a request that may carry a sealed value.
type RequestPart struct {
	Place   app.Place
	word    string // in a sentence
	Title   string
	Meaning string
}

// RequestParts returns all parts of a request that may carry a sealed value.
func RequestParts() []RequestPart {
	return []RequestPart{
		{
			app.PlaceHeader, "the usual credential headers", "Headers, always",
			"Authorization (Bearer and Basic) and the usual API key headers, or those that you name below.",
		},
		{
			app.PlacePath, "the path", "Path",
			"For addresses that contain the key, such as /bot<KEY>/send. Servers and proxies often log it.",
		},
		{
			app.PlaceQuery, "the query", "Query",
			"For addresses that end in ?api_key=… Servers and proxies often log it.",
		},
		{
			app.PlaceBody, "the body", "Body",
			"JSON, forms and text up to 1 MiB, such as client_secret in a token request.",
		},
	}
}

// PlaceField names the checkbox of a place.
func PlaceField(p app.Place) string { return "place." + string(p) }

// PlaceWords lists places in a sentence, such as: the header Cookie and the query.
func PlaceWords(all []app.Place, headers []string) string {
	var words []string
	for _, p := range RequestParts() {
		if p.Place == app.PlaceHeader && len(headers) > 0 {
			p.word = "the header " + headers[0]
			if len(headers) > 1 {
				p.word = "the headers " + format.Enumerate(headers)
			}
		}
		if p.Place == app.PlaceHeader || slices.Contains(all, p.Place) {
			words = append(words, p.word)
		}
	}
	return format.Enumerate(words)
}
