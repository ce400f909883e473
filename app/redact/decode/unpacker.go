package decode

import "io"

// unpacker reads what a run stands for, for as long as somebody asks.
type unpacker struct {
	code *Code
	run  []byte
	buf  [16]byte
	next []byte // in buf
}

// unpacker skips a few bytes.
func (c *Code) unpacker(run []byte, skip int) *unpacker {
	u := &unpacker{code: c, run: run}
	for range skip {
		_, _ = u.ReadByte() // there are more: it looked like compressed data
	}
	return u
}

// ReadByte returns the next byte.
func (u *unpacker) ReadByte() (byte, error) {
	if len(u.next) == 0 {
		n := min(len(u.run), 4*int(u.code.group.Chars))
		if u.next = u.code.unpack(u.buf[:0], u.run[:n]); len(u.next) == 0 {
			return 0, io.EOF
		}
		u.run = u.run[n:]
	}
	c := u.next[0]
	u.next = u.next[1:]
	return c, nil
}

// Read reads at least one byte.
func (u *unpacker) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if p[n], err = u.ReadByte(); err != nil {
			break
		}
		n++
	}
	if n > 0 {
		return n, nil
	}
	return n, err
}

// Len returns how many bytes are left, or a few more.
func (u *unpacker) Len() int {
	return len(u.next) + len(u.run)*int(u.code.group.Bytes)/int(u.code.group.Chars)
}

// unpack appends the bytes of characters that stand for a number of bits each. What is left at the
// end is thrown away.
func (c *Code) unpack(out, run []byte) []byte {
	if c.Bits == 0 {
		return c.unpack85(out, run)
	}
	digit := &c.Digit
	if c.Bits == 6 {
		for ; len(run) >= 4; run = run[4:] {
			n := uint32(digit[run[0]])<<18 | uint32(digit[run[1]])<<12 |
				uint32(digit[run[2]])<<6 | uint32(digit[run[3]])
			out = append(out, byte(n>>16), byte(n>>8), byte(n))
		}
	}
	var acc, have uint32
	for _, ch := range run {
		acc = acc<<c.Bits | uint32(digit[ch])
		if have += uint32(c.Bits); have >= 8 {
			have -= 8
			out = append(out, byte(acc>>have))
		}
	}
	return out
}
