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
