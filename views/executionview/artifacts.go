package executionview

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
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
	Table [][]string
	Image string // its address
	Note  string // what is missing, and why
}

// Artifact has its content's address, "" if not kept.
type Artifact struct {
	app.Artifact
	URL string
}

// Lines returns files and artifacts as texts to compare, one a line.
func (f Files) Lines() (inputs, artifacts string) {
	var in, out strings.Builder
	for _, file := range f.Inputs {
		fmt.Fprintf(&in, "%s, %s, sha256 %s\n", file.Name, format.Bytes(file.Size), file.SHA256)
	}
	for _, a := range f.Artifacts {
		fmt.Fprintf(&out, "%s, %s", a.Name, format.Bytes(a.Size))
		if a.SHA256 != "" {
			out.WriteString(", sha256 " + a.SHA256)
		}
		if a.Withheld != "" {
			out.WriteString(", withheld: " + a.Withheld)
		}
		out.WriteByte('\n')
	}
	return in.String(), out.String()
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
