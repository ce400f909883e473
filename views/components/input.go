package components

import (
	"cmp"
	"maps"

	"github.com/a-h/templ"
)

// Input describes a labelled control of a form.
type Input struct {
	ID      string
	Name    string // ID if empty
	Label   string
	Of      string // continues the label for screen readers
	Bare    bool   // the label is for screen readers only
	Class   string // of the element around the control
	Hint    string
	Problem string
	Value   string // of a select, the chosen one
	Options []Choice
	Code    bool   // a name, host or path: fixed width, no corrections
	Type    string // text if empty

	Placeholder  string
	Autocomplete string
	MaxLength    string
	Required     bool
	Extra        templ.Attributes // others of the control
}

func (f Input) attributes() templ.Attributes {
	a := DescribeField(f.ID, f.Hint != "", f.Problem)
	a["id"], a["name"] = f.ID, cmp.Or(f.Name, f.ID)
	if f.Code {
		a["class"], a["autocomplete"], a["autocapitalize"], a["spellcheck"] = "mono", "off", "off", "false"
	}
	for name, value := range map[string]string{
		"placeholder": f.Placeholder, "autocomplete": f.Autocomplete, "maxlength": f.MaxLength,
	} {
		if value != "" {
			a[name] = value
		}
	}
	a["required"] = f.Required
	maps.Copy(a, f.Extra)
	return a
}

// lineAttributes adds a single-line control's attributes. Secrets and files are never sent back.
func (f Input) lineAttributes() templ.Attributes {
	a := f.attributes()
	a["type"] = cmp.Or(f.Type, "text")
	if f.Type != "password" && f.Type != "file" {
		a["value"] = f.Value
	}
	return a
}
