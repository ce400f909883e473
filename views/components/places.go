package components

import "github.com/computclaw/airlock/app"

// RequestPart explains a request part that may carry a sealed value.
type RequestPart struct {
	Place   app.Place
	Title   string
	Meaning string
}

// RequestParts returns all request parts that may carry a sealed value.
func RequestParts() []RequestPart {
	return []RequestPart{
		{
			app.PlaceHeader, "Headers, always",
			"Authorization (Bearer and Basic) and the usual API key headers, or those that you name below.",
		},
		{
			app.PlacePath, "Path",
			"For addresses that contain the key, such as /bot<KEY>/send. Servers and proxies often log it.",
		},
		{
			app.PlaceQuery, "Query",
			"For addresses that end in ?api_key=… Servers and proxies often log it.",
		},
		{
			app.PlaceBody, "Body",
			"JSON, forms and text up to 1 MiB, such as client_secret in a token request.",
		},
	}
}

// PlaceField names the checkbox of a place.
func PlaceField(p app.Place) string { return "place." + string(p) }
