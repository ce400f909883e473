package swap

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// errArchive says that a compressed file holds a value. It can't be replaced there without writing the file anew.
var errArchive = errors.New("swap: a compressed file in the answer holds a sealed value")

// The first bytes of the files that are looked into.
const (
	magicGzip = "\x1f\x8b\x08"
	magicZip  = "PK\x03\x04"
)

// archive is a body which, if it is a gzip or zip file, is decompressed and searched while it passes, as it is. A piece of it is passed on when all
// that it decompresses to was searched; with a value in it, or where it can't be read, it fails.
type archive struct {
	io.ReadCloser // the body
	search        valueSearch

	begun   bool
	plain   io.Reader     // of a file that is looked into, else nil
	source  *bufio.Reader // the compressed bytes
	raw     bytes.Buffer  // of those: read and not yet passed on
	taken   int64         // bytes read of the body
	passed  int64         // and passed on
	ready   int64         // and searched
	window  []byte        // decompressed bytes among which a value may begin
	total   int64         // all decompressed bytes
	marks   []mark
	scratch []byte
	err     error
}

// mark says that the first plain bytes came of the first raw ones.
type mark struct{ plain, raw int64 }

// Read passes on what was searched.
func (a *archive) Read(p []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.begin()
	}
	for len(p) > 0 && a.ready == a.passed {
		if a.err != nil {
			return 0, a.err
		}
		if a.plain == nil {
			n, err := a.source.Read(p)
			a.raw.Reset()
			return n, err
		}
		a.look()
	}
	n, _ := a.raw.Read(p[:min(int64(len(p)), a.ready-a.passed)])
	a.passed += int64(n)
	return n, nil
}

// begin finds out what the body is.
func (a *archive) begin() {
	a.source = bufio.NewReader(readerFunc(func(p []byte) (int, error) {
		n, err := a.ReadCloser.Read(p)
		a.taken += int64(n)
		a.raw.Write(p[:n])
		return n, err
	}))
	for _, magic := range []string{magicGzip, magicZip} {
		n := 1 // no more than needed, since the rest may take its time
		for head, err := a.source.Peek(n); err == nil && string(head) == magic[:n]; head, err = a.source.Peek(n) {
			if n++; n > len(magic) {
				a.open(magic)
				return
			}
		}
	}
}

func (a *archive) open(magic string) {
	if magic == magicZip {
		a.plain = &members{source: a.source}
		return
	}
	if a.plain, a.err = gzip.NewReader(a.source); a.err != nil {
		a.err = fmt.Errorf("swap: a compressed file can't be read: %w", a.err)
	}
}

// look decompresses and searches one more piece.
func (a *archive) look() {
	if a.scratch == nil {
		a.scratch = make([]byte, 64<<10) // more than flate gives at once: what was read is then no more than what was given
	}
	n, err := a.plain.Read(a.scratch)
	a.total += int64(n)
	a.window = append(a.window, a.scratch[:n]...)
	raw := a.taken - int64(a.source.Buffered())
	switch {
	case len(regions(a.search, a.window)) > 0:
		a.err = errArchive
		return
	case a.total > maxDecoded || a.total > freeDecoded+maxRatio*raw:
		a.err = errBomb
		return
	case err == io.EOF:
		a.plain, a.ready = nil, raw // what follows is no file
		a.drain()
		return
	case err != nil:
		a.err = fmt.Errorf("swap: a compressed file can't be read: %w", err)
		return
	}
	reach := int64(a.search.finder.Reach())
	a.marks = append(a.marks, mark{a.total, raw})
	for len(a.marks) > 0 && a.marks[0].plain <= a.total-reach {
		a.ready = a.marks[0].raw
		a.marks = a.marks[1:]
	}
	if drop := len(a.window) - int(reach); drop > 0 {
		a.window = a.window[:copy(a.window, a.window[drop:])]
	}
}

// drain makes all that is left pass as it is.
func (a *archive) drain() {
	rest := bytes.Clone(a.raw.Bytes())
	a.source = bufio.NewReader(io.MultiReader(bytes.NewReader(rest), a.ReadCloser))
	a.ready = a.passed
}

// members reads what the members of a zip file decompress to, one after the other. Stored ones too, though they are searched with the body.
type members struct {
	source *bufio.Reader
	plain  io.Reader // of the member that is being read
	sized  bool      // its size stands before it
}

var errZip = errors.New("a member is written in a way that is not known")

// Read returns io.EOF at the directory that ends the file.
func (m *members) Read(p []byte) (int, error) {
	if m.plain == nil {
		if err := m.next(); err != nil {
			return 0, err
		}
		return 0, nil
	}
	n, err := m.plain.Read(p)
	if err == io.EOF {
		m.plain, err = nil, m.end()
	}
	return n, err
}

// next goes to the next member that is compressed.
func (m *members) next() error {
	const headLength = 30
	magic, err := m.source.Peek(len(magicZip))
	if err != nil || string(magic) != magicZip {
		return io.EOF
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
		return errZip // encrypted
	case method == 8:
		m.plain = flate.NewReader(m.source)
		return nil
	case method == 0 && m.sized && size != 1<<32-1:
		m.plain = io.LimitReader(m.source, int64(size))
		return nil
	}
	return errZip
}

// end passes over what says how long the member was. Its parts are as long as the file is old.
func (m *members) end() error {
	if m.sized {
		return nil
	}
	for _, n := range []int{16, 12, 24, 20} {
		if text, err := m.source.Peek(n + 2); err == nil && string(text[n:]) == "PK" {
			_, err = m.source.Discard(n)
			return err
		}
	}
	return errZip
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
