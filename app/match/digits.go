package match

const none8 = 0xff

func table(from, to string) (values [256]uint8) {
	for i := range values {
		values[i] = none8
	}
	for i := range len(from) {
		values[from[i]] = to[i]
	}
	return values
}

// digits has the values of hex digits.
var digits = table(hexDigits,
	"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x0a\x0b\x0c\x0d\x0e\x0f")

func isName(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

func readNumber(data []byte, at, base, most int) (value rune, end int) {
	for end = at; end < min(len(data), at+most) && int(digits[data[end]]) < base; end++ {
		value = value*rune(base) + rune(digits[data[end]])
	}
	return value, end
}

// readHexByte reads two hex digits.
func (r *readings) readHexByte(data []byte, at int) {
	if at+1 < len(data) {
		if high, low := digits[data[at]], digits[data[at+1]]; high|low < 16 {
			r.addByte(at+2, high<<4|low)
		}
	}
}

func (r *readings) readHexRune(data []byte, at, count int) {
	if c, end := readNumber(data, at, 16, count); end == at+count {
		r.addRune(end, c)
	}
}
