package search

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/unpack"
)

// Programs find a zip file by its last record (APPNOTE.TXT 4.3.16). It stands in the last maxZipEnd
// bytes, whatever stands before the first member.
const (
	zipEnd    = "PK\x05\x06"
	maxZipEnd = 22 + 1<<16
)

// refuseHidden refuses a content in which a program could find an unopened archive. That is a zip
// file behind other bytes, or anything behind an archive.
func refuseHidden(kind string, end *tail, rest *remainder) error {
	switch {
	case kind == "" && bytes.Contains(end.last, []byte(zipEnd)):
		return errUnsearchable{"it holds a zip file behind other data"}
	case kind == kindZip && (rest.archive || !endsZip(end.last)), kind != "" && kind != kindZip && rest.data:
		return errUnsearchable{"it holds more behind " + kind}
	}
	return nil
}

// endsZip reports whether a zip file ends with its last record. The record's comment must be text.
func endsZip(last []byte) bool {
	at := bytes.LastIndex(last, []byte(zipEnd))
	if at < 0 || len(last) < at+22 {
		return false
	}
	comment := last[at+22:]
	return len(comment) == int(binary.LittleEndian.Uint16(last[at+20:])) && utf8.Valid(comment) &&
		!bytes.ContainsFunc(comment, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
}

// tail keeps the last bytes that are written to it.
type tail struct{ last []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.last = append(t.last, p[max(len(p)-maxZipEnd, 0):]...)
	if extra := len(t.last) - maxZipEnd; extra > maxZipEnd {
		t.last = slices.Delete(t.last, 0, extra)
	}
	return len(p), nil
}

// remainder judges the bytes behind an archive.
type remainder struct {
	data    bool // other than zeros
	archive bool // the beginning of one
	before  []byte
}

func (r *remainder) Write(p []byte) (int, error) {
	r.data = r.data || len(bytes.Trim(p, "\x00")) > 0
	text := append(r.before, p...)
	r.archive = r.archive || bytes.Contains(text, []byte(unpack.Zip)) || bytes.Contains(text, []byte(unpack.Gzip))
	r.before = slices.Clone(text[max(len(text)-len(unpack.Zip), 0):])
	return len(p), nil
}
