package transfer

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The format is what docs/airlock-file.md says: a reader in another language, made after that page,
// finds the very lines that were written.
func TestPlainPythonReadsTheFile(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	h.Out = strings.Repeat("noise ", 50_000)
	file := h.export(all())
	path := filepath.Join(t.TempDir(), "x.airlock")
	h.No(os.WriteFile(path, file, 0o600))
	python := func(words string) (string, error) {
		command := exec.CommandContext(t.Context(), "/usr/bin/python3", "../../docs/read_airlock.py", path)
		command.Stdin = strings.NewReader(words + "\n")
		out, err := command.Output()
		return string(out), err
	}
	out, err := python(words)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	for _, r := range h.dump(all()) {
		if r.Airlock == nil && r.Event == nil && r.End == nil { // the export itself was audited since
			h.No(enc.Encode(r))
		}
	}
	var got strings.Builder
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, `{"airlock"`) && !strings.HasPrefix(line, `{"event"`) &&
			!strings.HasPrefix(line, `{"end"`) {
			got.WriteString(line)
		}
	}
	if got.String() != want.String() || want.Len() == 0 {
		t.Errorf("%d bytes were read, %d are right", got.Len(), want.Len())
	}
	if _, err := python("other words"); err == nil {
		t.Error("another passphrase opens it")
	}
	h.No(os.WriteFile(path, file[:len(file)-1], 0o600))
	if _, err := python(words); err == nil {
		t.Error("a file without its end is read")
	}
}
