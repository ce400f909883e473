package skillcli

import (
	"encoding/json"
	"io"

	"github.com/computclaw/airlock/app/skills/bundle"
)

// report is what --json prints.
type report struct {
	Name        string        `json:"name,omitempty"`
	Version     string        `json:"version,omitempty"`
	Description string        `json:"description,omitempty"`
	Digest      string        `json:"digest,omitempty"`
	Entrypoint  string        `json:"entrypoint,omitempty"`
	Language    string        `json:"language,omitempty"`
	Keys        []string      `json:"keys,omitempty"`
	Hosts       []string      `json:"hosts,omitempty"`
	Timeout     float64       `json:"timeout,omitempty"` // seconds
	Image       string        `json:"image,omitempty"`
	InputSchema any           `json:"input_schema,omitempty"`
	Files       []file        `json:"files,omitempty"`
	Facts       *bundle.Facts `json:"facts,omitempty"`
	Ignored     []string      `json:"ignored,omitempty"`
	Notes       []string      `json:"notes,omitempty"`
	Problems    []problem     `json:"problems"`
}

type file struct {
	Path string `json:"path"`
	Size int    `json:"size"`
}

type problem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func newReport(b bundle.Bundle, facts bundle.Facts, problems bundle.Problems) report {
	r := report{Problems: []problem{}}
	for _, p := range problems {
		r.Problems = append(r.Problems, problem(p))
	}
	if len(problems) > 0 {
		return r
	}
	m := b.Manifest
	r.Name, r.Version, r.Description, r.Digest = m.Name, m.Version, m.Description, b.Digest()
	r.Entrypoint, r.Language, r.Keys, r.Image = m.Entrypoint, string(m.Language), m.Keys, m.Image
	r.Timeout = m.Timeout.Seconds()
	for _, host := range m.Hosts {
		r.Hosts = append(r.Hosts, host.String())
	}
	if m.InputSchema != "" {
		r.InputSchema = json.RawMessage(m.InputSchema)
	}
	for _, f := range b.Files {
		r.Files = append(r.Files, file{f.Path, len(f.Content)})
	}
	r.Facts, r.Ignored, r.Notes = &facts, b.Ignored, b.Notes
	return r
}

func printJSON(w io.Writer, r report) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
