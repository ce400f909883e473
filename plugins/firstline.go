package plugins

import (
	"bytes"
	"strings"
	"sync"
	"time"
)

// firstLine keeps the first line written to it, up to a length. Safe for concurrent use.
type firstLine struct {
	mu   sync.Mutex
	kept []byte
	full bool
}

const maxFirstLine = 300

func (f *firstLine) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.full {
		return len(p), nil
	}
	line, _, ended := bytes.Cut(p, []byte("\n"))
	f.kept = append(f.kept, line[:min(len(line), maxFirstLine-len(f.kept))]...)
	f.full = ended && len(f.kept) > 0 || len(f.kept) == maxFirstLine
	return len(p), nil
}

// line returns the line, after a moment for output still in the pipe.
func (f *firstLine) line() string {
	for limit := time.Now().Add(200 * time.Millisecond); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		f.mu.Lock()
		full := f.full
		f.mu.Unlock()
		if full {
			break
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(f.kept), "\ufffd"))
}
