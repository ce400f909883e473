package unpack

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
)

// Zip is how a zip file begins.
const Zip = "PK\x03\x04"

// Members reads what the members of a zip file decompress to, one after the other, also those that are
// stored.
type Members struct {
	source *bufio.Reader
	plain  io.Reader // of the member that is being read
	sized  bool      // its size stands before it
}

// NewMembers reads a zip file up to the directory that ends it.
func NewMembers(source *bufio.Reader) *Members { return &Members{source: source} }

// ErrZip says that a member is written in a way that is not known, or is encrypted.
var ErrZip = errors.New("a member is written in a way that is not known")

// Read reads all members as one. It returns io.EOF at the directory.
func (m *Members) Read(p []byte) (int, error) {
	if m.plain == nil {
		_, err := m.Next()
		return 0, err
	}
	n, err := m.read(p)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// Next goes to the next member and returns what it decompresses to; the one before must have been read
// to its end. It returns io.EOF at the directory.
func (m *Members) Next() (io.Reader, error) {
	if err := m.next(); err != nil {
		return nil, err
	}
	return member{m}, nil
}

type member struct{ of *Members }

func (m member) Read(p []byte) (int, error) {
	if m.of.plain == nil {
		return 0, io.EOF
	}
	return m.of.read(p)
}

// read returns io.EOF at the end of the member, which is behind it then.
func (m *Members) read(p []byte) (int, error) {
	n, err := m.plain.Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	m.plain = nil
	if err := m.end(); err != nil {
		return n, err
	}
	return n, io.EOF
}

// next opens the next member.
func (m *Members) next() error {
	const headLength = 30
	magic, err := m.source.Peek(len(Zip))
	switch {
	case err != nil:
		return noEOF(err)
	case string(magic) == "PK\x01\x02", string(magic) == "PK\x05\x06",
		string(magic) == "PK\x06\x06", string(magic) == "PK\x06\x08":
		return io.EOF // at the directory
	case string(magic) != Zip:
		return ErrZip // there might be more members behind
	}
	head, err := m.source.Peek(headLength)
	if err != nil {
		return noEOF(err)
	}
	flags, method := binary.LittleEndian.Uint16(head[6:]), binary.LittleEndian.Uint16(head[8:])
	size := binary.LittleEndian.Uint32(head[18:])
	names := int(binary.LittleEndian.Uint16(head[26:])) + int(binary.LittleEndian.Uint16(head[28:]))
	if _, err := m.source.Discard(headLength + names); err != nil {
		return noEOF(err)
	}
	m.sized = flags&8 == 0
	switch {
	case flags&1 != 0:
		return ErrZip // encrypted
	case method == 8:
		m.plain = flate.NewReader(m.source)
		return nil
	case method == 0 && m.sized && size != 1<<32-1:
		m.plain = io.LimitReader(m.source, int64(size))
		return nil
	case method == 0 && !m.sized:
		m.plain = untilDescriptor{m.source}
		return nil
	}
	return ErrZip
}

// untilDescriptor reads a stored member of which the size stands behind it, up to what says so.
type untilDescriptor struct{ source *bufio.Reader }

func (u untilDescriptor) Read(p []byte) (int, error) {
	const mark, most = "PK\x07\x08", 26 // the longest descriptor, and the signature behind it
	text, err := u.source.Peek(min(len(p)+most, u.source.Size()))
	at := bytes.Index(text, []byte(mark))
	switch {
	case at == 0 && (len(text) >= 18 && string(text[16:18]) == "PK" || len(text) >= most && string(text[24:26]) == "PK"):
		return 0, io.EOF
	case at == 0:
		at = 1 // the content has such bytes itself
	case at < 0 && err != nil:
		return 0, noEOF(err)
	case at < 0:
		at = len(text) - most
	}
	n := copy(p, text[:at])
	_, err = u.source.Discard(n)
	return n, err
}

// end passes over what says how long the member was. Its parts are as long as the file is old.
func (m *Members) end() error {
	if m.sized {
		return nil
	}
	for _, n := range []int{16, 12, 24, 20} {
		if text, err := m.source.Peek(n + 2); err == nil && string(text[n:]) == "PK" {
			_, err = m.source.Discard(n)
			return err
		}
	}
	return ErrZip
}
