package components

import (
	"strings"

	"github.com/a-h/templ"
)

// Refresh reloads an element from url on any of the events. Without url it does nothing.
func Refresh(url string, events ...string) templ.Attributes {
	if url == "" {
		return nil
	}
	return templ.Attributes{
		"hx-get": url, "hx-trigger": trigger(events), "hx-swap": "innerMorph", "hx-target": "this",
	}
}

// CurrentPage marks the current page's link.
func CurrentPage(yes bool) templ.Attributes {
	if !yes {
		return nil
	}
	return templ.Attributes{"aria-current": "page"}
}

// Poll reloads an element from url every second. The server ends it by omitting these attributes or
// redirecting.
func Poll(url string) templ.Attributes {
	return templ.Attributes{"hx-get": url, "hx-trigger": "every 1s", "hx-swap": "outerMorph", "hx-target": "this"}
}

// RefreshParts loads elements from url on any event. They replace those with their ids.
func RefreshParts(url string, events ...string) templ.Attributes {
	return templ.Attributes{"hx-get": url, "hx-trigger": trigger(events), "hx-swap": "none"}
}

// trigger adds the connection event, to catch up on missed changes.
func trigger(events []string) string {
	return strings.Join(append(events, "connected"), " from:body, ") + " from:body"
}

// ReplaceByID makes a response's element replace the one with its id.
func ReplaceByID(yes bool) templ.Attributes {
	if !yes {
		return nil
	}
	return templ.Attributes{"hx-swap-oob": "outerMorph"}
}
