package content

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/computclaw/airlock/app"
)

// maxLine bounds one line, in bytes. The largest written line holds a script with its inputs, or an
// output; JSON may write a byte as six.
const maxLine = 64 << 20

// A value of three bytes, such as {}, may decode to a hundred. So values are counted before, per
// line and for all that a file arranges.
const (
	maxLineValues     = 500_000
	MaxArrangedValues = 2_000_000
)

// lineReader reads the records of a file strictly: known members only, in order, complete.
type lineReader struct {
	r      *bufio.Reader
	buf    []byte
	number int
	values int // of the lines up to the skills
	last   Kind
	bytes  int64
	counts Counts
	most   int64 // of numbers
}

// next returns the next record, first the opening. It returns io.EOF after the ending, if nothing
// follows.
func (l *lineReader) next() (Record, error) {
	if err := l.line(); err != nil {
		if errors.Is(err, io.EOF) && l.last == KindEnd {
			return Record{}, io.EOF
		}
		if errors.Is(err, io.EOF) {
			return Record{}, l.wrong("it has no end", nil)
		}
		return Record{}, err
	}
	l.bytes += int64(len(l.buf))
	if err := l.checkBounds(); err != nil {
		return Record{}, err
	}
	if l.number == 1 {
		return l.readOpening()
	}
	var r Record
	if err := strict(l.buf, &r); err != nil {
		return Record{}, l.wrong("it can't be read", err)
	}
	k, members := r.kind()
	switch {
	case members != 1:
		return Record{}, l.wrong("it is not of one kind", nil)
	case l.last == KindEnd, k < l.last && !(k == KindExecution && l.last == KindPart),
		k == KindPart && l.last < KindExecution, k == KindOpening:
		return Record{}, l.wrong("it stands in the wrong place", nil)
	case k == KindEnd && r.End.Counts != l.counts:
		return Record{}, l.wrong("the counts at the end are not those of the lines", nil)
	}
	if err := checkBounds(reflect.ValueOf(r), "", l.most); err != nil {
		return Record{}, l.wrong(err.Error(), nil)
	}
	l.last = k
	l.counts.count(k)
	return r, nil
}

// readOpening reads the first line. Newer versions may add members that it ignores.
func (l *lineReader) readOpening() (Record, error) {
	var loose struct {
		Airlock *struct {
			Content int `json:"content"`
		} `json:"airlock"`
	}
	if err := json.Unmarshal(l.buf, &loose); err != nil || loose.Airlock == nil || loose.Airlock.Content < 1 {
		return Record{}, l.wrong("it is not the beginning of an export", err)
	}
	if v := loose.Airlock.Content; v > Version {
		return Record{}, errNewer(fmt.Sprintf("content version %d, this program knows up to %d", v, Version))
	}
	var r Record
	err := strict(l.buf, &r)
	if err == nil {
		err = checkBounds(reflect.ValueOf(r), "", l.most)
	}
	if _, members := r.kind(); err != nil || members != 1 {
		return Record{}, l.wrong("it can't be read", err)
	}
	l.last = KindOpening
	return r, nil
}

// checkBounds refuses a line that would take far more memory than its length. Short lines behind
// the skills can't.
func (l *lineReader) checkBounds() error {
	arranges := l.last <= KindSkill
	if !arranges && len(l.buf) < 1<<20 {
		return nil
	}
	n := CountValues(l.buf)
	if arranges {
		l.values += n
	}
	if n > maxLineValues || l.values > MaxArrangedValues {
		return l.wrong("it holds more values than any that Airlock writes", nil)
	}
	return nil
}

// CountValues estimates the values of a JSON text: commas outside strings, plus one.
func CountValues(text []byte) int {
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
			return l.wrong(ErrLong.Error(), nil)
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

// strict decodes one JSON value without unknown members or trailing data.
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

// wrong returns the error for a sealed file with impossible contents.
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
