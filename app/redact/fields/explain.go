package fields

import (
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
)

// maxNamed is how many fields are named to a person.
const maxNamed = 8

// Kind says what a value is put together from.
type Kind int

// Kinds of values.
const (
	Single  Kind = iota // all of it is secret, and what is cut from it
	Secrets             // parts of which some are secret
	Nothing             // nothing in it is known to be secret by itself: only the whole counts
)

// KindOf returns the kind of a value.
func KindOf(value app.Secret) Kind {
	switch p := Of(value.Reveal()); {
	case p.One:
		return Single
	case p.isEmpty():
		return Nothing
	}
	return Secrets
}

// Explain tells a person what in a value counts as secret; "" for a value without parts. It names
// fields and never shows their texts.
func Explain(value app.Secret) string {
	p := Of(value.Reveal())
	switch {
	case p.One:
		return ""
	case p.isEmpty():
		return "nothing in this value has the name of a secret, so only the value as a whole is masked in output; " +
			"store the secret by itself if you can"
	}
	var names []string
	for _, f := range p.Fields {
		if name := app.Clip(f.Name, 40); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > maxNamed {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", len(names)-maxNamed))
	}
	if len(p.Words) > 0 {
		names = append(names, "lines and words that look random")
	}
	return "in output these parts of the value are masked by themselves: " + strings.Join(names, ", ") +
		"; its other parts are not"
}
