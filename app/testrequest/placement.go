package testrequest

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// Placement is how a test sends the value: plain in a named header, or as password or user name of
// Basic. The default is Bearer, or plain in the first header that the credential names if
// Authorization isn't one.
type Placement struct {
	Header string
	Basic  bool
	User   string // with Basic; "" if the value is the user name
}

// field is one field of a request's head.
type field struct{ name, text string }

func (a Placement) field(placeholder string) field {
	switch {
	case a.Header != "":
		return field{a.Header, placeholder}
	case a.Basic && a.User == "":
		return field{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(placeholder+":"))}
	case a.Basic:
		return field{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(a.User+":"+placeholder))}
	}
	return field{"Authorization", "Bearer " + placeholder}
}

// among defaults a to the credential's first header, unless a person chose or Authorization is
// named.
func (a Placement) among(named []string) Placement {
	if a == (Placement{}) && len(named) > 0 && !slices.Contains(named, "Authorization") {
		a.Header = named[0]
	}
	return a
}

// check refuses what can't be sent.
func (a Placement) check() error {
	switch {
	case a.Header != "" && a.Basic:
		return app.Invalid("as", "the value can be sent in a header of its own or as Basic, not both", "Choose one.")
	case a.User != "" && (!a.Basic || len(a.User) > 200 || !utf8.ValidString(a.User) ||
		strings.ContainsFunc(a.User, func(r rune) bool { return r < ' ' || r == ':' || r == 0x7f })):
		return app.Invalid("user", "the user name is not one that Basic can carry",
			"It has at most 200 bytes, no colon and no control characters.")
	case a.Header != "":
		return app.CheckHeader("header", a.Header)
	}
	return nil
}
