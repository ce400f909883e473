package search

import (
	"bytes"
	"io"
)

// narrow writes the characters of UTF-32 in what it is given, of ASCII and in either order, as single
// bytes.
type narrow struct {
	w     io.Writer
	last  byte // that was not zero
	zeros int  // since then
	in    bool // last was written
	out   []byte
}

func (n *narrow) Write(p []byte) (int, error) {
	all := len(p)
	n.out = n.out[:0]
	for len(p) > 0 {
		if n.zeros == 0 { // nothing counts before the next zero byte
			i := bytes.IndexByte(p, 0)
			if i < 0 {
				i = len(p)
			}
			if i > 0 {
				n.last, n.in = p[i-1], false
			}
			if p = p[i:]; len(p) == 0 {
				break
			}
		}
		b := p[0]
		p = p[1:]
		switch {
		case b == 0:
			n.zeros++
			continue
		case n.zeros == 3 && n.in:
			n.out = append(n.out, b)
		case n.zeros == 3:
			n.out = append(n.out, 0xff, n.last, b) // no value goes on in another text
		}
		n.last, n.in, n.zeros = b, n.zeros == 3, 0
	}
	if _, err := n.w.Write(n.out); err != nil {
		return 0, err
	}
	return all, nil
}
