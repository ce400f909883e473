package capture

import "bytes"

// carriageReturns finds where a script overwrites a line, as progress bars do. A line break may
// consist of carriage returns and a newline.
type carriageReturns struct{ pending int } // carriage returns at the end of what was seen

// split passes on output in pieces and calls overwrite where the line is replaced.
func (r *carriageReturns) split(p []byte, piece func([]byte), overwrite func()) {
	for len(p) > 0 {
		if r.pending > 0 {
			n := len(p) - len(bytes.TrimLeft(p, "\r"))
			if r.pending += n; n == len(p) {
				piece(p)
				return
			}
			piece(p[:n])
			if p = p[n:]; p[0] != '\n' {
				overwrite()
			}
			r.pending = 0
		}
		i := bytes.IndexByte(p, '\r')
		if i < 0 {
			piece(p)
			return
		}
		piece(p[:i+1])
		p, r.pending = p[i+1:], 1
	}
}
