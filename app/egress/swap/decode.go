package swap

import (
	"bufio"
	"compress/gzip"
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

// decode returns the body without its one encoding, gzip. It opens the body at the first read.
func decode(encodings []string, body io.ReadCloser) (io.ReadCloser, error) {
	if len(encodings) != 1 || encodings[0] != "gzip" && encodings[0] != "x-gzip" {
		return nil, fmt.Errorf("swap: the content encoding %q can't be read", app.Clip(strings.Join(encodings, ", "), 40))
	}
	return &decoded{ReadCloser: body}, nil
}

type decoded struct {
	io.ReadCloser
	plain *gzip.Reader
	sent  countingReader
	out   int64
	err   error
}

// Read returns io.EOF for an empty body, and an error beyond the size limit.
func (d *decoded) Read(p []byte) (n int, err error) {
	if d.err != nil {
		return 0, d.err
	}
	if d.plain == nil {
		d.sent.body = d.ReadCloser
		source := bufio.NewReader(&d.sent)
		if _, d.err = source.Peek(1); d.err != nil {
			return 0, d.err
		}
		d.plain, err = gzip.NewReader(source)
	}
	if err == nil {
		n, err = d.plain.Read(p)
	}
	d.out += int64(n)
	switch {
	case d.out > maxDecoded || d.out > freeDecoded+maxRatio*d.sent.n:
		n, d.err = 0, errBomb
	case errors.Is(err, io.EOF):
		d.err = err
	case err != nil:
		d.err = fmt.Errorf("swap: a compressed body can't be read: %w", err)
	}
	return n, d.err
}

type countingReader struct {
	body io.Reader
	n    int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	c.n += int64(n)
	return n, err
}
