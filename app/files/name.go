package files

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/computclaw/airlock/app"
)

// NameProblem says why a name can't be a file's, to follow "the name", or "". Names are UTF-8 in
// NFC, at most app.MaxFileName bytes, without separators and invisible characters, and neither "."
// nor "..".
func NameProblem(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > app.MaxFileName:
		return fmt.Sprintf("is longer than %d bytes", app.MaxFileName)
	case !utf8.ValidString(name):
		return "is not valid UTF-8"
	case name == "." || name == "..":
		return "names a directory"
	case strings.ContainsAny(name, `/\`):
		return "has a slash or backslash in it"
	case strings.ContainsFunc(name, app.IsInvisible):
		return "has a control or invisible character in it"
	case !norm.NFC.IsNormalString(name):
		return "is not in Unicode's composed form (NFC)"
	case strings.TrimSpace(name) != name:
		return "begins or ends with a blank"
	}
	return ""
}

// CheckName accepts the name of a file. Errors: CodeInvalidField of field.
func CheckName(field, name string) error {
	if problem := NameProblem(name); problem != "" {
		return app.Invalid(field, "the file name "+problem, "Use a plain name such as orders.csv.")
	}
	return nil
}

// FoldName returns the same text for names that differ in case only. Some systems can't keep those
// apart.
func FoldName(name string) string { return cases.Fold().String(norm.NFC.String(name)) }

// ShownName returns any name from a box as one line of text.
func ShownName(name string) string {
	if NameProblem(name) == "" {
		return name
	}
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(name[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, name[i])
		case app.IsInvisible(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return app.Truncate(b.String(), app.MaxFileName)
}
