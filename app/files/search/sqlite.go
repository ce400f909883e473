package search

import (
	"encoding/binary"
	"errors"
	"io"
)

var errDatabase = errors.New("not a database")

// pages reads the pages of an SQLite file (https://sqlite.org/fileformat2.html). It follows what the
// b-tree pages say of values that go on elsewhere, and nothing else: all that lies on one page is
// searched with the bytes of the file.
type pages struct {
	r      io.ReaderAt
	size   int64 // of a page
	usable int64 // bytes of each
	last   int64 // number of the last page
	count  func(bytes int64) error
}

// eachLongValue writes the values to w that lie on several pages, each in one piece. count may refuse
// bytes. Errors: errDatabase, and those of r and count.
func eachLongValue(r io.ReaderAt, length int64, w io.Writer, count func(int64) error) error {
	var head [100]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return errDatabase
	}
	p := pages{r: r, size: int64(binary.BigEndian.Uint16(head[16:])), count: count}
	if p.size == 1 {
		p.size = 64 << 10
	}
	if p.size < 512 || p.size&(p.size-1) != 0 {
		return errDatabase
	}
	p.usable, p.last = p.size-int64(head[20]), length/p.size
	if p.usable < 480 {
		return errDatabase
	}
	page := make([]byte, p.size)
	for number := int64(1); number <= p.last; number++ {
		if _, err := p.r.ReadAt(page, (number-1)*p.size); err != nil {
			return err
		}
		begin := 0
		if number == 1 {
			begin = len(head)
		}
		if err := p.cells(page, begin, w); err != nil {
			return err
		}
	}
	return nil
}

// The kinds of b-tree pages whose cells have values.
const (
	interiorIndex = 0x02
	leafIndex     = 0x0a
	leafTable     = 0x0d
)

// cells writes the long values of a page, if it is one that has any. Pages of other kinds may look like
// one: what is read of them is searched once more, to no harm.
func (p pages) cells(page []byte, begin int, w io.Writer) error {
	kind, header := page[begin], 8
	if kind == interiorIndex {
		header = 12
	}
	if kind != interiorIndex && kind != leafIndex && kind != leafTable {
		return nil
	}
	n := int(binary.BigEndian.Uint16(page[begin+3:]))
	for i := range n {
		at := begin + header + 2*i
		if at+2 > len(page) {
			return nil
		}
		if err := p.cell(page, kind, int(binary.BigEndian.Uint16(page[at:])), w); err != nil {
			return err
		}
	}
	return nil
}

func (p pages) cell(page []byte, kind byte, at int, w io.Writer) error {
	if kind == interiorIndex {
		at += 4
	}
	length, at := varint(page, at)
	if kind == leafTable {
		_, at = varint(page, at)
	}
	most := (p.usable-12)*64/255 - 23
	if kind == leafTable {
		most = p.usable - 35
	}
	if length <= most || length > p.last*p.size {
		return nil
	}
	least := (p.usable-12)*32/255 - 23
	local := least + (length-least)%(p.usable-4)
	if local > most {
		local = least
	}
	if int64(at)+local+4 > int64(len(page)) {
		return nil
	}
	if err := p.count(local); err != nil { // cells may lie on one another
		return err
	}
	if _, err := w.Write(page[at : int64(at)+local]); err != nil {
		return err
	}
	next := int64(binary.BigEndian.Uint32(page[int64(at)+local:]))
	return p.follow(next, length-local, w)
}

// follow writes what lies on a chain of pages.
func (p pages) follow(number, left int64, w io.Writer) error {
	page := make([]byte, p.usable)
	for left > 0 && number > 1 && number <= p.last {
		if err := p.count(p.usable); err != nil {
			return err
		}
		if _, err := p.r.ReadAt(page, (number-1)*p.size); err != nil {
			return err
		}
		n := min(left, p.usable-4)
		if _, err := w.Write(page[4 : 4+n]); err != nil {
			return err
		}
		left -= n
		number = int64(binary.BigEndian.Uint32(page))
	}
	_, err := w.Write([]byte("\xff\xff\xff\xff")) // no value goes on in the next one
	return err
}

// varint reads a number of up to nine bytes, and returns where it ends. One that is cut off is 0.
func varint(page []byte, at int) (n int64, end int) {
	for i := range 9 {
		if at+i >= len(page) || at < 0 {
			return 0, len(page)
		}
		b := page[at+i]
		if i == 8 {
			return n<<8 | int64(b), at + 9
		}
		n = n<<7 | int64(b&0x7f)
		if b < 0x80 {
			return n, at + i + 1
		}
	}
	return n, at
}
