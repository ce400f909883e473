package swap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/computclaw/airlock/app/unpack"
)

// errArchive says that a compressed file holds a value. It can't be replaced there without writing
// the file anew.
var errArchive = errors.New("swap: a compressed file in the answer holds a sealed value")

// freeInFile is how much may come of next to nothing in a file, in bytes: lines of logs and tables
// that are all alike compress a thousandfold.
const freeInFile = 64 << 20

// maxRaw is how many compressed bytes may come of which nothing is decompressed.
const maxRaw = 1 << 20

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
	for _, magic := range []string{unpack.Gzip, unpack.Zip} {
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
	if magic == unpack.Zip {
		a.plain = unpack.NewMembers(a.source)
		return
	}
	a.plain = unpack.NewStreams(a.source)
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
