package skills

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills/bundle"
)

// PackedName is the name under which a box gets a skill's files.
const PackedName = "airlock-skill"

// Bounds of the environment's content. The kernel refuses an entry beyond 128 KiB.
const (
	maxInstructions = 64 << 10
	maxEntry        = 128 << 10
	inputEntry      = "SANDBOX_INPUT="
)

// packedHead stands before the files of a skill, in a line.
type packedHead struct {
	Files        [][3]any `json:"files"` // path, executable, bytes
	Input        string   `json:"input"`
	Instructions string   `json:"instructions"`
}

// Launch is what a box needs to run a version.
type Launch struct {
	Version Version
	Packed  []byte // its files, and the inputs of the run
}

// maxInline is the size of a skill that travels with its script, in bytes. An extra file request
// takes milliseconds.
const maxInline = 192 << 10

// Inline reports whether the packed files are small enough to travel with the start of the skill.
func (l Launch) Inline() bool { return len(l.Packed) <= maxInline }

// Launch returns what runs a version that the profile may still run. Errors: those of Resolve.
func (s *Service) Launch(ctx context.Context, profileHandle, digest string, inputs []byte) (Launch, error) {
	row, err := s.resolve(ctx, profileHandle, digest)
	if err != nil {
		return Launch{}, err
	}
	v, err := version(row)
	if err != nil {
		return Launch{}, err
	}
	b, err := s.open(ctx, row)
	if err != nil {
		return Launch{}, err
	}
	head := packedHead{Files: [][3]any{}, Instructions: app.Truncate(b.Instructions, maxInstructions)}
	for _, f := range b.Files {
		head.Files = append(head.Files, [3]any{f.Path, f.Executable, len(f.Content)})
	}
	if head.Input, err = compact(inputs); err != nil {
		return Launch{}, err
	}
	packed, err := json.Marshal(head)
	if err != nil {
		return Launch{}, fmt.Errorf("skills: %w", err)
	}
	packed = append(packed, '\n')
	for _, f := range b.Files {
		packed = append(packed, f.Content...)
	}
	return Launch{v, packed}, nil
}

// compact returns inputs without spaces between their parts; {} for none.
func compact(inputs []byte) (string, error) {
	var text bytes.Buffer
	if inputs == nil || string(bytes.TrimSpace(inputs)) == "null" {
		return "{}", nil
	}
	if err := json.Compact(&text, inputs); err != nil {
		return "", fmt.Errorf("skills: the inputs are not JSON: %w", err)
	}
	return text.String(), nil
}

// CheckInputs compares inputs with a version's schema and its program's limits. CodeInvalidField
// names the path, CodeTooLarge the field.
func (v Version) CheckInputs(inputs []byte) error {
	if v.Manifest.Language != bundle.Python && len(inputs) > maxEntry/2 {
		text, err := compact(inputs)
		if err == nil && len(inputEntry)+len(text) >= maxEntry {
			e := app.E(app.CodeTooLarge, "inputs are too large: a shell or Node program gets less than "+
				app.FormatSize(maxEntry), "Nothing ran. Send what is large as a file, with POST /files.")
			e.Field = "inputs"
			return e
		}
	}
	if v.Manifest.InputSchema == "" {
		return nil
	}
	schema, err := bundle.CompileSchema(v.Manifest.InputSchema)
	if err != nil {
		return fmt.Errorf("skills: %w", err)
	}
	if inputs == nil {
		inputs = []byte("{}") // as the program gets them
	}
	return schema.Check(inputs)
}
