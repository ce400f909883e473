package decode

import "bytes"

// QuotedPrintable reads the escapes of quoted-printable, soft line breaks among them. An equals
// sign before a number is no escape: escapes come at least in twos, but for that of the equals sign
// itself.
func QuotedPrintable(text, buf []byte, since int) ([]byte, int) {
	r, ok := printableByte(text)
	if !ok {
		return softBreak(text)
	}
	if _, another := printableByte(text[3:]); since == 0 || another || r == '=' {
		return append(buf, byte(r)), 3
	}
	return nil, 0
}

// LooseQuotedPrintable is printable with escapes that stand alone, if something near says that they
// are some. Base 85 behind an equals sign may look like that, so neither can do without the other.
func LooseQuotedPrintable(text, buf []byte, since int) ([]byte, int) {
	r, ok := printableByte(text)
	if !ok {
		return softBreak(text)
	}
	if since <= nearEscape || printableNear(text) {
		return append(buf, byte(r)), 3
	}
	return nil, 0
}

// softBreak returns the length of the soft line break with which a text begins.
func softBreak(text []byte) ([]byte, int) {
	for i, c := range text[1:min(len(text), 4)] {
		if c == '\n' {
			return nil, i + 2
		}
		if c != '\r' && c != ' ' {
			break
		}
	}
	return nil, 0
}

// printableNear says, of a text that begins with what may be an escape, whether something near says
// so too: the same three times, two side by side, or one of a digit and a letter, as punctuation
// has: =5F.
func printableNear(text []byte) bool {
	if bytes.Count(text[:min(len(text), 2*nearEscape)], text[:3]) >= 3 {
		return true
	}
	text = text[:min(len(text), nearEscape)]
	for next := 0; next >= 0; next = bytes.IndexByte(text, '=') {
		text = text[next:]
		if _, ok := printableByte(text); ok {
			if _, another := printableByte(text[3:]); another || text[1] < 'A' && text[2] >= 'A' {
				return true
			}
		}
		text = text[1:]
	}
	return false
}

func printableByte(text []byte) (rune, bool) {
	if len(text) < 3 || text[0] != '=' || text[1] >= 'a' || text[2] >= 'a' {
		return 0, false
	}
	return hexValue(text[1:], 2)
}

// nearEscape is how far from each other escapes may be to say that both are some, in bytes.
const nearEscape = 32
