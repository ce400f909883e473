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

// errArchive says that a compressed file holds a value. It can't be replaced there without writing
// the file anew.
var errArchive = errors.New("swap: a compressed file in the answer holds a sealed value")

// freeInFile is how much may come of next to nothing in a file, in bytes: lines of logs and tables
// that are all alike compress a thousandfold.
const freeInFile = 64 << 20

// maxRaw is how many compressed bytes may come of which nothing is decompressed.
const maxRaw = 1 << 20

// The first bytes of the files that are looked into.
const (
	magicGzip = "\x1f\x8b\x08"
	magicZip  = "PK\x03\x04"
)

// archive is a body which, if it is a gzip or zip file, is decompressed and searched while it
// passes, as it is. A piece of it is passed on when all that it decompresses to was searched; with
// a value in it, or where it can't be read, it fails.
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
	fresh   int           // bytes of it that were not searched yet
	held    int           // bytes that were left in it by the last search
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
		if a.plain != nil && a.raw.Len() > maxRaw+a.held {
			return 0, errBomb
		}
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
	a.plain = &streams{source: a.source}
}

// look decompresses and searches one more piece.
func (a *archive) look() {
	if a.scratch == nil {
		a.scratch = make([]byte, 64<<10) // more than flate gives at once: what was read is then no more than what was given
	}
	n, err := a.plain.Read(a.scratch)
	a.total += int64(n)
	a.window, a.fresh = append(a.window, a.scratch[:n]...), a.fresh+n
	raw := a.taken - int64(a.source.Buffered())
	if err == nil && a.fresh < a.held/4 { // or small pieces would have the whole window searched again and again
		return
	}
	a.fresh = 0
	switch {
	case len(regions(a.search, a.window)) > 0:
		a.err = errArchive
		return
	case a.total > maxDecoded || a.total > freeInFile+maxRatio*raw:
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
	a.marks = append(a.marks, mark{a.total, raw})
	a.held = a.search.window(a.window)
	for len(a.marks) > 0 && a.marks[0].plain <= a.total-int64(a.held) {
		a.ready = a.marks[0].raw
		a.marks = a.marks[1:]
	}
	if drop := len(a.window) - a.held; drop > 0 {
		a.window = a.window[:copy(a.window, a.window[drop:])]
	}
}

// drain makes all that is left pass as it is.
func (a *archive) drain() {
	rest := bytes.Clone(a.raw.Bytes())
	a.source = bufio.NewReader(io.MultiReader(bytes.NewReader(rest), a.ReadCloser))
	a.ready = a.passed
}

// streams reads what the streams of a gzip file decompress to, one after the other. Zero bytes may
// stand between them, as gzip itself allows.
type streams struct {
	source *bufio.Reader
	plain  *gzip.Reader // of the stream that is being read
}

// Read returns io.EOF where no stream follows.
func (s *streams) Read(p []byte) (int, error) {
	if s.plain == nil {
		for head, err := s.source.Peek(1); err == nil && head[0] == 0; head, err = s.source.Peek(1) {
			_, _ = s.source.Discard(1)
		}
		if head, err := s.source.Peek(len(magicGzip)); err != nil || string(head) != magicGzip {
			return 0, io.EOF
		}
		plain, err := gzip.NewReader(s.source)
		if err != nil {
			return 0, noEOF(err)
		}
		plain.Multistream(false)
		s.plain = plain
	}
	n, err := s.plain.Read(p)
	if errors.Is(err, io.EOF) {
		s.plain, err = nil, nil
	}
	return n, err
}

// members reads what the members of a zip file decompress to, one after the other. Stored ones too,
// though they are searched with the body.
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
	if errors.Is(err, io.EOF) {
		m.plain, err = nil, m.end()
	}
	return n, err
}

// next goes to the next member that is compressed.
func (m *members) next() error {
	const headLength = 30
	magic, err := m.source.Peek(len(magicZip))
	switch {
	case err != nil:
		return noEOF(err)
	case string(magic) == "PK\x01\x02", string(magic) == "PK\x05\x06",
		string(magic) == "PK\x06\x06", string(magic) == "PK\x06\x08":
		return io.EOF // at the directory
	case string(magic) != magicZip:
		return errZip // there might be more members behind
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
	case method == 0 && !m.sized:
		m.plain = untilDescriptor{m.source}
		return nil
	}
	return errZip
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
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
