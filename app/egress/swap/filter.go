package swap

import "io"

// filterPiece is the size of a read, in bytes.
const filterPiece = 32 << 10

type filter struct {
	body io.Reader
	io.Closer
	// step takes the next bytes and returns those to pass on, valid until the next call. After an
	// error nothing more is passed on.
	step func(piece []byte, last bool) (ready []byte, err error)

	piece []byte
	ready []byte
	err   error
}

// Read returns as soon as the step releases something.
func (f *filter) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(f.ready) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		f.fill()
	}
	n := copy(p, f.ready)
	f.ready = f.ready[n:]
	return n, nil
}

func (f *filter) fill() {
	if f.piece == nil {
		f.piece = make([]byte, filterPiece)
	}
	n, err := f.body.Read(f.piece)
	ready, failure := f.step(f.piece[:n], err == io.EOF) //nolint:errorlint // a wrapped EOF is not the end
	f.ready, f.err = ready, err
	if failure != nil {
		f.ready, f.err = nil, failure
	}
}
