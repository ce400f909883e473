package app

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxReference is the longest reference to a value in Vault, in bytes.
const MaxReference = 512

// Reference names a value in Vault: one field of what stands at a path. References are comparable;
// those of one path are read as one.
type Reference struct {
	Path  string // as in Vault's HTTP API, without v1: secret/data/oracle, database/creds/reports
	Field string
}

// String writes it the way people type it: secret/data/oracle#password.
func (r Reference) String() string { return r.Path + "#" + r.Field }

const referenceHint = "Write path#field, such as secret/data/oracle#password (KV version 2), kv/oracle#password (KV " +
	"version 1) or database/creds/reports#username."

// ParseReference reads path#field. What it accepts names one place only and can't leave Vault's
// secrets: no empty, "." or ".." segment, no query, no escape, and not the paths below sys and
// auth, where Airlock's own token could be read.
func ParseReference(text string) (Reference, error) {
	refuse := func(format string, args ...any) (Reference, error) {
		return Reference{}, Invalid("reference", fmt.Sprintf(format, args...), referenceHint)
	}
	path, field, found := strings.Cut(text, "#")
	switch {
	case len(text) > MaxReference:
		return refuse("the reference is longer than %d bytes", MaxReference)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unsafeInReference):
		return refuse("the reference holds a character that can't stand in one")
	case strings.HasPrefix(path, "/"), strings.HasPrefix(path, "v1/"), strings.Contains(path, "://"):
		return refuse("the reference begins with more than the path inside Vault")
	case !found || field == "":
		return refuse("the reference doesn't say which field")
	case strings.Contains(field, "#"):
		return refuse("the reference has more than one #")
	}
	segments := strings.Split(path, "/")
	if len(segments) < 2 {
		return refuse("the reference needs a mount and a path inside it")
	}
	for _, s := range segments {
		if s == "" || s == "." || s == ".." {
			return refuse("the reference has an empty or relative part in its path")
		}
	}
	switch segments[0] {
	case "sys", "auth":
		return refuse("what stands below %s/ is Vault's own, not a secret", segments[0])
	}
	return Reference{Path: path, Field: field}, nil
}

// unsafeInReference refuses what an HTTP path would take for something else, or a reader would not
// see.
func unsafeInReference(r rune) bool {
	return strings.ContainsRune(`?%\"<>`, r) || !unicode.IsGraphic(r) || unicode.IsSpace(r) && r != ' '
}
