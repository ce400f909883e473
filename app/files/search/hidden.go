package search

import (
	"bytes"
	"slices"
)

// Records of zip files, APPNOTE.TXT 4.3.7 and 4.3.16. Programs find a zip file by the second one, which
// stands in its last maxZipEnd bytes, whatever stands before the first member.
const (
	zipMember = "PK\x03\x04"
	zipEnd    = "PK\x05\x06"
	maxZipEnd = 22 + 1<<16
)

// hidden refuses a content in which a program could find an archive that was not opened: a zip file
// behind other bytes, or anything behind an archive.
func hidden(kind string, end *tail, rest *remainder) error {
	switch {
	case kind == "" && bytes.Contains(end.last, []byte(zipEnd)):
		return errUnsearchable{"it holds a zip file behind other data"}
	case kind == kindZip && rest.member, kind != "" && kind != kindZip && rest.data:
		return errUnsearchable{"it holds more behind " + kind}
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct{ last []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.last = append(t.last, p[max(len(p)-maxZipEnd, 0):]...)
	if extra := len(t.last) - maxZipEnd; extra > maxZipEnd {
		t.last = slices.Delete(t.last, 0, extra)
	}
	return len(p), nil
}

// remainder looks at what follows an archive.
type remainder struct {
	data   bool // other than zeros
	member bool // another zip file's
	before []byte
}

func (r *remainder) Write(p []byte) (int, error) {
	r.data = r.data || len(bytes.Trim(p, "\x00")) > 0
	text := append(r.before, p...)
	r.member = r.member || bytes.Contains(text, []byte(zipMember))
	r.before = slices.Clone(text[max(len(text)-len(zipMember)+1, 0):])
	return len(p), nil
}
