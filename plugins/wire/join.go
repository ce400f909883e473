package wire

import (
	"encoding/binary"
	"io"
)

// frameHeader is the length of a yamux frame's header, in bytes.
const frameHeader = 12

// JoinFrames returns a writer for one yamux session that joins a frame's header with its body.
// yamux writes them separately, and every write becomes a message of its own. Not safe for
// concurrent use; yamux writes from one goroutine.
func JoinFrames(w io.Writer) io.Writer { return &joined{w: w} }

type joined struct {
	w     io.Writer
	frame []byte // a header whose body comes next; empty if there is none
}

func (j *joined) Write(p []byte) (int, error) {
	if len(j.frame) == 0 && !hasBody(p) {
		return j.w.Write(p)
	}
	held := len(j.frame)
	if j.frame = append(j.frame, p...); held == 0 {
		return len(p), nil
	}
	n, err := j.w.Write(j.frame)
	j.frame = j.frame[:0]
	return max(0, n-held), err
}

// hasBody reports whether p is the header of a frame that carries data.
func hasBody(p []byte) bool {
	const data = 0
	return len(p) == frameHeader && p[1] == data && binary.BigEndian.Uint32(p[8:]) > 0
}
