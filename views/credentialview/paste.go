package credentialview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// PastePage takes a .env file.
type PastePage struct {
	layout.Shell
	Lines    []PasteProblem
	Problems components.Problems
}

// PasteProblem is a line that can't be read; line 0 is the text as a whole.
type PasteProblem struct {
	Line    int
	Message string
}

// PreviewPage asks what to do with what was pasted. It holds no values.
type PreviewPage struct {
	layout.Shell
	Rows     []PreviewRow
	Problems components.Problems
}

// PreviewRow is one variable.
type PreviewRow struct {
	Name     string
	Line     int
	Exists   bool
	Profiles int // that use the existing credential
	Action   string
	Mode     app.Mode
	Hosts    string
	Empty    bool
	Size     int
	Lines    int
	Expands  bool
	Weak     string
	Reached  string // which locked profiles would reach another host with the value; "" if none
}

// ActionField is the name of the field that says what to do with a pasted variable.
func ActionField(name string) string { return "action." + name }

// shape is what may be said of a value.
func (r PreviewRow) shape() string {
	if r.Empty {
		return "empty"
	}
	words := format.Count(int64(r.Size), "byte")
	if r.Lines > 1 {
		words += " in " + format.Count(int64(r.Lines), "line")
	}
	return words
}

func (r PreviewRow) actions() []components.Choice {
	switch {
	case r.Exists:
		return []components.Choice{
			{Value: "skip", Word: "Keep the stored value"},
			{Value: "overwrite", Word: "Overwrite the value"},
		}
	case r.Empty:
		return []components.Choice{{Value: "skip", Word: "Skip"}}
	}
	return []components.Choice{{Value: "add", Word: "Add"}, {Value: "skip", Word: "Skip"}}
}

// pasteNews counts what is new and what exists.
func (p PreviewPage) pasteNews() string {
	fresh, known := 0, 0
	for _, r := range p.Rows {
		if r.Exists {
			known++
		} else {
			fresh++
		}
	}
	words := format.Count(int64(fresh), "new credential")
	if known > 0 {
		words += ", and " + format.Count(int64(known), "name") + " that you have already"
	}
	return words + ". Nothing is stored before you say so; the values wait in memory for a quarter of an hour."
}
