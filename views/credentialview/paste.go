package credentialview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/dotenv"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// PastePage takes a .env file.
type PastePage struct {
	layout.Shell
	Lines    []dotenv.Problem // unreadable ones; line 0 is the whole text
	Readable int              // entries in the preview, besides those lines
	Problems components.Problems
}

// PreviewPage asks what to do with a paste. It holds no values.
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

// ActionField names the action field of a pasted variable.
func ActionField(name string) string { return "action." + name }

// shape describes a value without revealing it.
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

// unchangedText tells what stays of an existing credential.
func (r PreviewRow) unchangedText() string {
	if !r.Exists {
		return ""
	}
	return format.Mode(r.Mode) + ", in " + format.Count(int64(r.Profiles), "profile") +
		". Mode and hosts stay as they are."
}

func (r PreviewRow) actions() []components.Choice {
	switch {
	case r.Exists:
		return components.Choices("skip", "Keep the stored value", "overwrite", "Overwrite the value")
	case r.Empty:
		return components.Choices("skip", "Skip")
	}
	return components.Choices("add", "Add", "skip", "Skip")
}
