package app

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxReference is the longest reference to a value in Vault, in bytes.
const MaxReference = 512

// Reference names a field at a path in Vault. References are comparable; one path is read once.
type Reference struct {
	Path  string // as in Vault's HTTP API, without v1: secret/data/oracle, database/creds/reports
	Field string
}

// String returns the form that people type: secret/data/oracle#password.
func (r Reference) String() string { return r.Path + "#" + r.Field }

const referenceHint = "Write path#field, such as secret/data/oracle#password (KV version 2), kv/oracle#password (KV " +
	"version 1) or database/creds/reports#username."

// ParseReference reads path#field. It names one place only and can't leave Vault's secrets. It
// refuses empty, "." and ".." segments, queries, escapes, and paths below sys and auth, which hold
// Airlock's own token.
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

// unsafeInReference refuses invisible characters and those special in HTTP paths.
func unsafeInReference(r rune) bool {
	return strings.ContainsRune(`?%\"<>`, r) || !unicode.IsGraphic(r) || unicode.IsSpace(r) && r != ' '
}
