package proof

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"testing"
)

// python is the interpreter that Airlock's boxes need as well.
const python = "/usr/bin/python3"

// sent is a case for the detector.
type sent struct {
	Case   int      `json:"case"`
	Kind   string   `json:"-"`
	Secret string   `json:"secret"`
	Out    []string `json:"out"`
	JSON   bool     `json:"json"`
	Depth  int      `json:"depth"` // no deeper than the secret was written
}

// kept is an execution for the detector.
type kept struct {
	Cases  []sent   `json:"cases"`
	Made   []string `json:"made"`   // names in it that were made at random, without knowing the secrets
	Page   string   `json:"page"`   // HTML, as a person sees it
	Answer string   `json:"answer"` // JSON, as the agent gets it
}

// batch is what the detector looks at in one go.
type batch struct {
	Executions []kept   `json:"executions"`
	Pages      []string `json:"pages"` // of no single execution
	Files      []string `json:"files"` // on the disk
}

// finding is a leak: of which case, where, and how it was read.
type finding struct {
	Case  int    `json:"case"`
	Where string `json:"where"`
	Kind  string `json:"-"`
}

// detector is a running detect.py.
type detector struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	failed  bytes.Buffer
}

func newDetector(t *testing.T) *detector {
	t.Helper()
	d := &detector{command: exec.CommandContext(t.Context(), python, "batches.py")}
	d.command.Stderr = &d.failed
	in, err := d.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.command.Start(); err != nil {
		t.Fatal(err)
	}
	d.in, d.out = in, bufio.NewReader(out)
	t.Cleanup(func() {
		_ = d.in.Close()
		_ = d.command.Wait()
	})
	return d
}

// look returns what the detector finds in a batch. One that didn't look at every case is an error.
func (d *detector) look(b batch) ([]finding, error) {
	line := json.NewEncoder(d.in)
	line.SetEscapeHTML(false)
	if err := line.Encode(b); err != nil {
		return nil, d.died(err)
	}
	text, err := d.out.ReadBytes('\n')
	if err != nil {
		return nil, d.died(err)
	}
	var answer struct {
		Looked int       `json:"looked"`
		Found  []finding `json:"found"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("the detector's answer: %w", err)
	}
	kinds := map[int]string{}
	for _, x := range b.Executions {
		for _, c := range x.Cases {
			kinds[c.Case] = c.Kind
		}
	}
	if answer.Looked != len(kinds) {
		return nil, fmt.Errorf("the detector has looked at %d of %d cases", answer.Looked, len(kinds))
	}
	for i, f := range answer.Found {
		answer.Found[i].Kind = kinds[f.Case]
	}
	return answer.Found, nil
}

func (d *detector) died(err error) error {
	_ = d.in.Close()
	_ = d.command.Wait()
	return fmt.Errorf("the detector: %w\n%s", err, d.failed.String())
}
