package transfer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"reflect"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// maxLine bounds one line, in bytes. The largest line that is written holds a script with its
// inputs, or an output; JSON may write a byte as six.
const maxLine = 64 << 20

// A value of three bytes, such as {}, may take a hundred when it is decoded. So values are counted
// before: in one line, and in all that a file arranges together.
const (
	maxLineValues     = 500_000
	maxArrangedValues = 2_000_000
)

// lineWriter writes records as lines.
type lineWriter struct {
	enc    *json.Encoder
	counts Counts
}

func newLineWriter(w io.Writer) *lineWriter {
	enc := json.NewEncoder(wholeLines{w})
	enc.SetEscapeHTML(false)
	return &lineWriter{enc: enc}
}

// wholeLines refuses a line that no reader would take. An encoder writes each in one piece.
type wholeLines struct{ w io.Writer }

func (l wholeLines) Write(line []byte) (int, error) {
	if len(line) > maxLine {
		return 0, errLong
	}
	return l.w.Write(line)
}

// errLong is a line that is longer than any that is read.
var errLong = fmt.Errorf("it is longer than %d MiB", maxLine>>20)

func (w *lineWriter) write(r record) error {
	w.counts.count(r)
	if err := w.enc.Encode(r); err != nil {
		return fmt.Errorf("transfer: write: %w", err)
	}
	return nil
}

func (c *Counts) count(r record) {
	switch r.kind() {
	case kindCredential:
		c.Credentials++
	case kindProfile:
		c.Profiles++
	case kindPolicy:
		c.Policies++
	case kindSkill:
		c.Skills++
	case kindBundle:
		c.Bundles++
	case kindApproval:
		c.Approvals++
	case kindExecution:
		c.Executions++
	case kindPart:
		c.Parts++
	case kindStats:
		c.Days++
	case kindPerson:
		c.People++
	case kindEvent:
		c.Events++
	case kindArchived:
		c.Archived++
	}
}

// kind orders records: a file has them in this order, and parts stand behind their execution.
type kind int

const (
	kindNone kind = iota
	kindOpening
	kindCredential
	kindProfile
	kindPolicy
	kindSkill
	kindBundle
	kindApproval
	kindExecution
	kindPart
	kindStats
	kindPerson
	kindEvent
	kindArchived
	kindEnd
)

func (r record) kind() kind {
	switch {
	case r.Airlock != nil:
		return kindOpening
	case r.Credential != nil:
		return kindCredential
	case r.Profile != nil:
		return kindProfile
	case r.Policy != nil:
		return kindPolicy
	case r.Skill != nil:
		return kindSkill
	case r.Bundle != nil:
		return kindBundle
	case r.Approval != nil:
		return kindApproval
	case r.Execution != nil:
		return kindExecution
	case r.Script != nil, r.Output != nil, r.Value != nil, r.Exchange != nil, r.Connection != nil, r.Redaction != nil,
		r.File != nil, r.Artifact != nil, r.Content != nil:
		return kindPart
	case r.Stats != nil:
		return kindStats
	case r.Person != nil:
		return kindPerson
	case r.Event != nil:
		return kindEvent
	case r.Archived != nil:
		return kindArchived
	case r.End != nil:
		return kindEnd
	}
	return kindNone
}

// members counts the members that are set; a line has one.
func (r record) members() (n int) {
	v := reflect.ValueOf(r)
	for i := range v.NumField() {
		if !v.Field(i).IsNil() {
			n++
		}
	}
	return n
}

// lineReader reads the records of a file strictly: known members only, in order, complete.
type lineReader struct {
	r      *bufio.Reader
	buf    []byte
	number int
	values int // of the lines up to the skills
	last   kind
	counts Counts
	open   opening
	sum    hash.Hash // of all lines so far
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), sum: sha256.New()}
}

// next returns the next record; io.EOF behind the ending, when nothing follows. The first record is
// the opening.
func (l *lineReader) next() (record, error) {
	if err := l.line(); err != nil {
		if errors.Is(err, io.EOF) && l.last == kindEnd {
			return record{}, io.EOF
		}
		if errors.Is(err, io.EOF) {
			return record{}, l.wrong("it has no end", nil)
		}
		return record{}, err
	}
	l.sum.Write(l.buf)
	if !utf8.Valid(l.buf) {
		return record{}, l.wrong("it is not UTF-8", nil)
	}
	if err := l.bounded(); err != nil {
		return record{}, err
	}
	if err := checkNames(l.buf); err != nil {
		return record{}, l.wrong(err.Error(), nil)
	}
	if l.number == 1 {
		return l.opening()
	}
	var r record
	if err := strict(l.buf, &r); err != nil {
		return record{}, l.wrong("it can't be read", err)
	}
	k := r.kind()
	switch {
	case r.members() != 1:
		return record{}, l.wrong("it is not of one kind", nil)
	case l.last == kindEnd, k < l.last && !(k == kindExecution && l.last == kindPart),
		k == kindPart && l.last < kindExecution, k == kindOpening:
		return record{}, l.wrong("it stands in the wrong place", nil)
	case k == kindEnd && r.End.Counts != l.counts:
		return record{}, l.wrong("the counts at the end are not those of the lines", nil)
	}
	if err := l.writable(r); err != nil {
		return record{}, err
	}
	l.last = k
	l.counts.count(r)
	return r, nil
}

// writable refuses a line that would be too long for a file of ours: JSON may be written in fewer
// bytes than we need for it, such as U+2028, which is escaped here.
func (l *lineReader) writable(r record) error {
	if len(l.buf) < maxLine/2 {
		return nil
	}
	if err := newLineWriter(io.Discard).write(r); err != nil {
		return l.wrong("it would be longer than a line may be in a file that Airlock writes", err)
	}
	return nil
}

// opening reads the first line, of which a newer version may have more members than we know.
func (l *lineReader) opening() (record, error) {
	var loose struct {
		Airlock *struct {
			Content int `json:"content"`
		} `json:"airlock"`
	}
	if err := json.Unmarshal(l.buf, &loose); err != nil || loose.Airlock == nil || loose.Airlock.Content < 1 {
		return record{}, l.wrong("it is not the beginning of an export", err)
	}
	if v := loose.Airlock.Content; v > contentVersion {
		return record{}, errNewer(fmt.Sprintf("content version %d, this program knows up to %d", v, contentVersion))
	}
	var r record
	if err := strict(l.buf, &r); err != nil || r.members() != 1 {
		return record{}, l.wrong("it can't be read", err)
	}
	l.last, l.open = kindOpening, *r.Airlock
	return r, nil
}

// bounded refuses a line that would take far more memory than it is long. A short line behind the
// skills can't.
func (l *lineReader) bounded() error {
	arranges := l.last <= kindSkill
	if !arranges && len(l.buf) < 1<<20 {
		return nil
	}
	n := countValues(l.buf)
	if arranges {
		l.values += n
	}
	if n > maxLineValues || l.values > maxArrangedValues {
		return l.wrong("it holds more values than any that Airlock writes", nil)
	}
	return nil
}

// countValues returns about how many values a JSON text has: one more than there are commas outside
// of its strings.
func countValues(text []byte) int {
	n, quoted := 1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			n++
		}
	}
	return n
}

// line reads one line into buf.
func (l *lineReader) line() error {
	l.buf = l.buf[:0]
	l.number++
	for {
		piece, err := l.r.ReadSlice('\n')
		if len(l.buf)+len(piece) > maxLine {
			return l.wrong(errLong.Error(), nil)
		}
		l.buf = append(l.buf, piece...)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(l.buf) > 0:
			return l.wrong("it has no end", nil)
		default:
			return err
		}
	}
}

// strict decodes one JSON value with nothing unknown in it and nothing behind it.
func strict(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows")
	}
	return nil
}

// wrong is the error of a file that was sealed properly and says something impossible.
func (l *lineReader) wrong(why string, cause error) error {
	e := app.Invalid("file", fmt.Sprintf("line %d of the file is wrong: %s", l.number, why),
		"Nothing was changed. The file was not made by Airlock, or by a version with a fault.")
	e.Cause = cause
	return e
}

func errNewer(detail string) error {
	e := app.Invalid("file", "the file was made by a newer version of Airlock",
		"Nothing was changed. Update this Airlock and try again.")
	e.Cause = errors.New(detail)
	return e
}
