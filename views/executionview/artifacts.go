package executionview

import (
	"strconv"

	"github.com/computclaw/airlock/app"
)

// Files are the files that went into an execution, and what its script left.
type Files struct {
	Inputs    []app.InputFile
	Artifacts []Artifact
}

// Artifact is one with the address of its content; "" if that is not kept.
type Artifact struct {
	app.Artifact
	URL string
}

// state says what became of the content.
func (a Artifact) state() string {
	switch {
	case a.Withheld != "":
		return a.Withheld
	case a.URL == "":
		return "No longer kept."
	case a.Masked == 1:
		return "1 secret masked"
	case a.Masked > 1:
		return strconv.Itoa(a.Masked) + " secrets masked"
	}
	return ""
}
