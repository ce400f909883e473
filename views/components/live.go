package components

import (
	"strings"

	"github.com/a-h/templ"
)

// Refresh makes an element load its content from url again when one of the events arrives.
// Without a url the element stands still.
func Refresh(url string, events ...string) templ.Attributes {
	if url == "" {
		return nil
	}
	return templ.Attributes{
		"hx-get": url, "hx-trigger": trigger(events), "hx-swap": "innerMorph", "hx-target": "this",
	}
}

// CurrentPage marks the link to the page that is shown.
func CurrentPage(yes bool) templ.Attributes {
	if !yes {
		return nil
	}
	return templ.Attributes{"aria-current": "page"}
}

// Poll makes an element load itself from url every second. The server ends it by an answer without
// these attributes, or by leading elsewhere.
func Poll(url string) templ.Attributes {
	return templ.Attributes{"hx-get": url, "hx-trigger": "every 1s", "hx-swap": "outerMorph", "hx-target": "this"}
}

// RefreshParts loads elements from url when one of the events arrives. They replace those with
// their ids.
func RefreshParts(url string, events ...string) templ.Attributes {
	return templ.Attributes{"hx-get": url, "hx-trigger": trigger(events), "hx-swap": "none"}
}

// trigger adds the event of a new connection: what happened before it was told to nobody.
func trigger(events []string) string {
	return strings.Join(append(events, "connected"), " from:body, ") + " from:body"
}

// ReplaceByID makes an element of a response replace the one with its id.
func ReplaceByID(yes bool) templ.Attributes {
	if !yes {
		return nil
	}
	return templ.Attributes{"hx-swap-oob": "outerMorph"}
}
