package archive

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/computclaw/airlock/app"
)

// Writer seals a file. Without Close its end is missing.
type Writer struct {
	zip    *gzip.Writer
	chunks *chunkWriter
	n      int64
}

// NewWriter writes a header to w and returns a Writer. It takes the time of its cost, which must be
// within NewReader's bounds; files for people use DefaultCost. It does not judge the passphrase:
// see CheckPassphrase.
func NewWriter(w io.Writer, passphrase app.Secret, c Cost) (*Writer, error) {
	header, k, err := newHeader(passphrase, c)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(header); err != nil {
		return nil, fmt.Errorf("archive: write: %w", err)
	}
	chunks := newChunkWriter(w, header, k.chunks)
	zip, err := gzip.NewWriterLevel(chunks, gzip.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return &Writer{zip: zip, chunks: chunks}, nil
}

func (w *Writer) Write(p []byte) (int, error) {
	n, err := w.zip.Write(p)
	w.n += int64(n)
	return n, err
}

// Size is how many bytes were written, before compression.
func (w *Writer) Size() int64 { return w.n }

// Close ends the file. It does not close the underlying writer.
func (w *Writer) Close() error {
	if err := w.zip.Close(); err != nil {
		return err
	}
	return w.chunks.Close()
}

// Reader opens a file. Every byte is authentic, but only io.EOF says that none is missing: data may
// count only then.
type Reader struct {
	chunks *chunkReader
	packed *bufio.Reader // of chunks; the decompressor takes no byte too many from it
	zip    *gzip.Reader
	n      int64
	limit  int64
	err    error
}

// NewReader reads and verifies the header, within bounds of time.
//
// Reading ends in ErrTooLarge beyond limit unpacked bytes; 0 means no limit. Errors wrap ErrFormat,
// ErrVersion, ErrCost, ErrPassphrase or ErrDamaged; errors of r are wrapped too.
func NewReader(r io.Reader, passphrase app.Secret, limit int64) (*Reader, error) {
	header, k, err := openHeader(r, passphrase)
	if err != nil {
		return nil, err
	}
	chunks := newChunkReader(r, header, k.chunks)
	return &Reader{chunks: chunks, packed: bufio.NewReader(chunks), limit: limit}, nil
}

func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := r.read(p)
	r.n += int64(n)
	switch {
	case r.limit > 0 && r.n > r.limit:
		n, err = 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, r.limit)
	case errors.Is(err, io.EOF):
		err = r.end()
	case err != nil && r.chunks.readError() != nil:
		err = r.chunks.readError()
	case err != nil:
		err = fmt.Errorf("%w: it does not unpack", ErrDamaged)
	}
	r.err = err
	return n, err
}

func (r *Reader) read(p []byte) (int, error) {
	if r.zip == nil {
		zip, err := gzip.NewReader(r.packed)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // nothing at all is no end
		}
		if err != nil {
			return 0, err
		}
		zip.Multistream(false)
		r.zip = zip
	}
	return r.zip.Read(p)
}

// end makes sure that the compressed stream and the chunks end together.
func (r *Reader) end() error {
	_, err := r.packed.ReadByte()
	if err == nil {
		return fmt.Errorf("%w: something follows its end", ErrDamaged)
	}
	return err
}

// Size is how many bytes were read, after decompression.
func (r *Reader) Size() int64 { return r.n }
