package bubblewrap

import (
	"io"
	"strings"
)

// maxDiagnostic is how much of a guest's stderr is kept, in bytes.
const maxDiagnostic = 4 << 10

// lastOf reads r to its end and returns the last maxDiagnostic bytes as text.
func lastOf(r io.Reader) string {
	var tail []byte
	buf := make([]byte, maxDiagnostic)
	for {
		n, err := r.Read(buf)
		tail = append(tail, buf[:n]...)
		if extra := len(tail) - maxDiagnostic; extra > 0 {
			tail = append(tail[:0], tail[extra:]...)
		}
		if err != nil {
			return strings.ToValidUTF8(strings.TrimSpace(string(tail)), "\uFFFD")
		}
	}
}
