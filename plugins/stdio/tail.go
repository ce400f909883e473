package stdio

import (
	"io"
	"strings"
	"sync"
)

// maxDiagnostic is how many bytes of a guest's stderr are kept: see plugins.Exit.
const maxDiagnostic = 4 << 10

// Tail keeps the last bytes written to it. Safe for concurrent use.
type Tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-maxDiagnostic):]...)
	if extra := len(t.kept) - maxDiagnostic; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(string(t.kept)), "\uFFFD")
}

// LastOf reads r to its end and returns what a Tail keeps of it.
func LastOf(r io.Reader) string {
	var t Tail
	// a file would bring a larger buffer of its own, for each box
	_, _ = io.CopyBuffer(&t, struct{ io.Reader }{r}, make([]byte, maxDiagnostic))
	return t.String()
}
