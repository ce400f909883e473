package plugins

import (
	"strings"
	"sync"
	"time"
)

// firstLine keeps the beginning of what is written to it. Safe for concurrent use.
type firstLine struct {
	mu   sync.Mutex
	kept []byte
}

const maxFirstLine = 300

func (f *firstLine) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept = append(f.kept, p[:min(len(p), maxFirstLine-len(f.kept))]...)
	return len(p), nil
}

// line returns the first line, after a moment for output still in the pipe.
func (f *firstLine) line() string {
	time.Sleep(200 * time.Millisecond)
	f.mu.Lock()
	defer f.mu.Unlock()
	line, _, _ := strings.Cut(strings.TrimSpace(string(f.kept)), "\n")
	return strings.ToValidUTF8(line, "\ufffd")
}
