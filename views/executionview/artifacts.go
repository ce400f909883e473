package executionview

import (
	"github.com/computclaw/airlock/app"
)

// Files holds an execution's input files and artifacts.
type Files struct {
	Inputs    []app.InputFile
	Artifacts []Artifact
	Preview   *Preview // nil: none is asked for
}

// Preview is an artifact's beginning: text, table, image, or only a note.
type Preview struct {
	Name  string
	Type  string
	Text  string
	Table [][]string // of CSV
	Image string     // its address
	Note  string     // what is missing, and why
}

// Artifact has its content's address, "" if not kept.
type Artifact struct {
	app.Artifact
	URL string
}
