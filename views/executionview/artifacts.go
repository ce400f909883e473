package executionview

import (
	"strconv"

	"github.com/computclaw/airlock/app"
)

// Files holds an execution's input files and artifacts.
type Files struct {
	Inputs    []app.InputFile
	Artifacts []Artifact
	Preview   *Preview // nil: none is asked for
}

// Preview is an artifact's beginning: text, image, or only a note.
type Preview struct {
	Name  string
	Type  string
	Text  string
	Image string // its address
	Note  string // what is missing, and why
}

// Artifact has its content's address, "" if not kept.
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
