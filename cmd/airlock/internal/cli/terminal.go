package cli

import (
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether something that was opened is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
