package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

// TestHoleF10ErrorsAreEscaped: an error may repeat what stands in a file of somebody else.
func TestHoleF10ErrorsAreEscaped(t *testing.T) {
	var told strings.Builder
	err := app.Invalid("file", "credential a\x1b[8mb is not possible", "Look at\u202e it.")
	err.Cause = errors.New("c\rd")
	if code := (Console{Err: &told}).Finish(err); code != ExitError {
		t.Errorf("exit code %d", code)
	}
	want := `airlock: credential a\x1b[8mb is not possible (invalid_field)
  cause: c\rd
  Look at\u202e it.
`
	if told.String() != want {
		t.Errorf("%s\nwant\n%s", told.String(), want)
	}
}

// TestHolePrintedCode: a line end was printed as an escape that code may contain. A reviewer could
// not tell a comment from the next line.
func TestHolePrintedCode(t *testing.T) {
	var told strings.Builder
	PrintCode(&told, "# only reads\\nif not ok:\n\tdelete()\r\nx = 1 # y\rimport os\x1b[8m\u202e")
	want := "# only reads\\nif not ok:\n\tdelete()\nx = 1 # y[U+000D]import os[U+001B][8m[U+202E]\n"
	if told.String() != want {
		t.Errorf("%q, want %q", told.String(), want)
	}
}
