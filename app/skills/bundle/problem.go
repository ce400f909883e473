package bundle

import (
	"fmt"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Problem is a reason why something is no skill that Airlock takes.
type Problem struct {
	File    string `json:"file,omitempty"` // path in the bundle; "" for the bundle as a whole
	Line    int    `json:"line,omitempty"` // from 1; 0 for the file as a whole
	Message string `json:"message"`        // what is wrong, a sentence
	Hint    string `json:"hint,omitempty"` // what to do
}

// Place returns the file and line as compilers write them, or "" for the whole bundle.
func (p Problem) Place() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

func (p Problem) Error() string {
	if p.File == "" {
		return p.Message
	}
	return p.Place() + ": " + p.Message
}

// Problems are all that were found, in reading order. As an error they unwrap to an app.Error with
// app.CodeInvalidSkill.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the error for an agent: the first problem, and how to see the others.
func (p Problems) Unwrap() error {
	if len(p) == 0 {
		return nil
	}
	err := app.E(app.CodeInvalidSkill, p[0].Error(), p[0].Hint+" airlock skill check PATH lists every problem.")
	err.Field, err.Hint = p[0].Place(), strings.TrimSpace(err.Hint)
	return err
}

func bad(file, hint, format string, args ...any) error {
	return Problems{{File: app.VisibleText(app.Clip(file, 200)), Message: fmt.Sprintf(format, args...), Hint: hint}}
}
