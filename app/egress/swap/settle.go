package swap

import "bytes"

// minWrapped is how many bytes of an encoding at the end of a line make it likely that the next line goes on with it.
const minWrapped = 16

// goesOn reports whether a text that ends with a line break may stand in the middle of something that is encoded in several lines: base64, hex or
// a list of numbers, quoted-printable or a line that a backslash continues.
func goesOn(text []byte) bool {
	line := bytes.TrimRight(text, "\r\n")
	if len(line) == 0 {
		return false
	}
	if last := line[len(line)-1]; last == '=' || last == '\\' {
		return true
	}
	for _, set := range []string{
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_\r\n", "0123456789abcdefABCDEF:-,. \t\r\n", "0123456789, \t\r\n",
	} {
		if endsWith(text, set) >= minWrapped {
			return true
		}
	}
	return false
}

// endsWith returns how many letters and digits are among the bytes at the end of a text that are all of a set, up to minWrapped.
func endsWith(text []byte, set string) int {
	n := 0
	for i := len(text) - 1; i >= 0 && n < minWrapped && bytes.IndexByte([]byte(set), text[i]) >= 0; i-- {
		if c := text[i] | 0x20; 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			n++
		}
	}
	return n
}
