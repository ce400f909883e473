package search

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"io"

	"github.com/computclaw/airlock/app/unpack"
)

// probeCost is what looking at something that may be compressed data takes from the budget, in bytes: a few
// bytes begin it, so most is none.
const probeCost = 4 << 10

// embedded looks through the compressed data in a content, wherever it begins. What is damaged may be none.
func (s *Search) embedded(r io.ReaderAt, size int64, depth int) error {
	chunk := make([]byte, 64<<10)
	for from := int64(0); from < size; from += int64(len(chunk) - len(unpack.Zip) + 1) {
		n, err := r.ReadAt(chunk, from)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for at := range n {
			if !beginsCompressed(chunk[at:n]) {
				continue
			}
			if err := s.embeddedAt(io.NewSectionReader(r, from+int64(at), size), depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginsCompressed reports whether compressed data may begin with data, of zlib with the usual window.
func beginsCompressed(data []byte) bool {
	switch data[0] {
	case 'x':
		return len(data) > 1 && (data[1] == 0x01 || data[1] == 0x5e || data[1] == 0x9c || data[1] == 0xda)
	case unpack.Gzip[0]:
		return bytes.HasPrefix(data, []byte(unpack.Gzip))
	case unpack.Zip[0]:
		return bytes.HasPrefix(data, []byte(unpack.Zip))
	case 'B':
		return bytes.HasPrefix(data, []byte("BZh"))
	}
	return false
}

// embeddedAt looks through compressed data that may begin a content. Errors: errUnsearchable.
func (s *Search) embeddedAt(r io.Reader, depth int) error {
	if err := s.count(probeCost); err != nil {
		return err
	}
	buffered := bufio.NewReader(r)
	head, _ := buffered.Peek(512)
	open, _ := s.opener(string(head))
	if head[0] == 'x' {
		open = s.zlib
	}
	if open == nil {
		return nil
	}
	if err := open(buffered, depth+1); errors.As(err, new(errUnsearchable)) {
		return err
	}
	return nil
}

// zlib looks through a zlib stream, if it has anything in it.
func (s *Search) zlib(r *bufio.Reader, depth int) error {
	plain, err := zlib.NewReader(r)
	if err != nil {
		return err
	}
	first := make([]byte, 16)
	n, _ := io.ReadFull(plain, first)
	if n == 0 {
		return nil
	}
	return s.member(io.MultiReader(bytes.NewReader(first[:n]), plain), depth)
}
