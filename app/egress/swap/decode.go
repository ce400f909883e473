package swap

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/computclaw/airlock/app"
)

// What a compressed body may grow to.
const (
	maxDecoded = 4 << 30 // bytes
	maxRatio   = 200     // decoded bytes for each encoded one, after the first freeDecoded
	// freeDecoded is the allowed size from next to nothing, in bytes.
	freeDecoded = 1 << 20
)

var errBomb = errors.New("swap: a compressed body grows beyond measure")

// contentCodings returns the encodings in the order applied, without identity.
func contentCodings(values []string) []string {
	var out []string
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
				out = append(out, name)
			}
		}
	}
	return out
}

// decode returns the body without its one encoding, gzip or deflate. It opens the body at the first
// read.
func decode(encodings []string, body io.ReadCloser) (io.ReadCloser, error) {
	if len(encodings) != 1 {
		return nil, fmt.Errorf("swap: several content encodings on top of each other (%s) can't be read",
			app.Clip(strings.Join(encodings, ", "), 40))
	}
	d := &decoded{body: body}
	switch encodings[0] {
	case "gzip", "x-gzip":
		d.open = func(r *bufio.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case "deflate":
		d.open = openDeflate
	default:
		return nil, fmt.Errorf("swap: the content encoding %q can't be read", app.Clip(encodings[0], 40))
	}
	return d, nil
}

// openDeflate reads zlib, the proper format, and bare deflate, which some send.
func openDeflate(r *bufio.Reader) (io.Reader, error) {
	head, err := r.Peek(2)
	if err != nil && len(head) == 0 {
		return nil, err
	}
	if len(head) == 2 && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}

type decoded struct {
	body io.ReadCloser
	open func(r *bufio.Reader) (io.Reader, error)

	plain   io.Reader
	in, out int64
	err     error
}

// Read returns io.EOF for an empty body, and an error beyond the size limit.
func (d *decoded) Read(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	if d.plain == nil {
		source := bufio.NewReader(d.counted())
		if _, err := source.Peek(1); err != nil {
			d.err = err
			return 0, err
		}
		if d.plain, d.err = d.open(source); d.err != nil {
			return 0, d.unreadable()
		}
	}
	n, err := d.plain.Read(p)
	d.out += int64(n)
	switch {
	case d.out > maxDecoded || d.out > freeDecoded+maxRatio*d.in:
		n, d.err = 0, errBomb
	case err == io.EOF:
		d.err = err
	case err != nil:
		d.err = err
		d.err = d.unreadable()
	}
	return n, d.err
}

func (d *decoded) unreadable() error {
	if errors.Is(d.err, io.EOF) {
		d.err = io.ErrUnexpectedEOF
	}
	d.err = fmt.Errorf("swap: a compressed body can't be read: %w", d.err)
	return d.err
}

// counted is the body, with its bytes counted.
func (d *decoded) counted() io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := d.body.Read(p)
		d.in += int64(n)
		return n, err
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Close closes the body.
func (d *decoded) Close() error { return d.body.Close() }
