package skills

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/computclaw/airlock/app/skills/bundle"
)

// PackedName is the name under which a box gets a skill's files.
const PackedName = "airlock-skill.tar"

// maxInstructions bounds the instructions in the environment, where one variable has at most 128 KiB.
const maxInstructions = 64 << 10

//go:embed launcher.py
var launcher string

// Script returns the Python that runs a version in a box, beside its files.
func (s *Service) Script(ctx context.Context, v Version) (string, error) {
	b, err := s.Open(ctx, v.Digest)
	if err != nil {
		return "", err
	}
	var call []string
	for _, one := range []string{b.Manifest.Entrypoint, string(b.Manifest.Language),
		b.Instructions[:min(len(b.Instructions), maxInstructions)]} {
		text, err := json.Marshal(one) // a JSON text is a Python one, too
		if err != nil {
			return "", fmt.Errorf("skills: %w", err)
		}
		call = append(call, string(text))
	}
	return fmt.Sprintf("%slaunch(%s, %s, %s)\n", launcher, call[0], call[1], call[2]), nil
}

// Packed returns the files of a version that the profile may still run, as a box gets them.
// Errors: those of Resolve.
func (s *Service) Packed(ctx context.Context, profileHandle, digest string) ([]byte, error) {
	if _, err := s.Resolve(ctx, profileHandle, digest); err != nil {
		return nil, err
	}
	b, err := s.Open(ctx, digest)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	err = b.Pack(&packed)
	return packed.Bytes(), err
}

// CheckInputs compares inputs with the schema of a version. CodeInvalidField names the path.
func (v Version) CheckInputs(inputs []byte) error {
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
