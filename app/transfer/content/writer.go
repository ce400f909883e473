package content

import (
	"encoding/json"
	"fmt"
	"io"
)

// Writer writes records as lines.
type Writer struct {
	Counts Counts // of what was written
	enc    *json.Encoder
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer {
	enc := json.NewEncoder(wholeLines{w})
	enc.SetEscapeHTML(false)
	return &Writer{enc: enc}
}

// wholeLines refuses unreadably long lines. An encoder writes each in one piece.
type wholeLines struct{ w io.Writer }

func (l wholeLines) Write(line []byte) (int, error) {
	if len(line) > maxLine {
		return 0, ErrLong
	}
	return l.w.Write(line)
}

// ErrLong is a line that is longer than any that is read.
var ErrLong = fmt.Errorf("it is longer than %d MiB", maxLine>>20)

// Write writes one record. Errors: ErrLong, those of the underlying writer.
func (w *Writer) Write(r Record) error {
	w.Counts.count(r.Kind())
	if err := w.enc.Encode(r); err != nil {
		return fmt.Errorf("content: write: %w", err)
	}
	return nil
}
