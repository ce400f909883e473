package format

import (
	"strings"
	"unicode/utf8"
)

// Plain removes terminal control sequences from text. It takes linear time and removes nothing
// else.
func Plain(text string) string {
	at := strings.IndexFunc(text, beginsSequence)
	if at < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for at >= 0 {
		b.WriteString(text[:at])
		text = text[at+sequenceLength(text[at:]):]
		at = strings.IndexFunc(text, beginsSequence)
	}
	b.WriteString(text)
	return b.String()
}

func beginsSequence(r rune) bool { return r == 0x1b || r == 0x9b || r == 0x9d }

// maxTitle bounds a possibly unended title, to keep the text after it.
const maxTitle = 256

// sequenceLength returns the length of text's leading control sequence.
func sequenceLength(text string) int {
	first, n := utf8.DecodeRuneInString(text)
	if first == 0x1b {
		if n == len(text) {
			return n
		}
		first = rune(text[n])
		switch {
		case first == '[' || first == ']':
			n++
		case first >= 0x20 && first < 0x7f: // ESC ( B, ESC 7
			for n < len(text) && text[n] >= 0x20 && text[n] < 0x30 {
				n++
			}
			return min(n+1, len(text))
		default:
			return n
		}
	}
	if first == ']' || first == 0x9d {
		return titleLength(text, n)
	}
	for n < len(text) && text[n] >= 0x20 && text[n] < 0x40 { // parameters
		n++
	}
	if n < len(text) && text[n] >= 0x40 && text[n] < 0x7f {
		n++
	}
	return n
}

// titleLength returns the length of text's leading title or link. Without an end that is n, the
// opening's length.
func titleLength(text string, n int) int {
	length := n
	head := text[n:min(len(text), maxTitle)]
	for _, end := range []string{"\a", "\u009c", "\x1b\\"} {
		if at := strings.Index(head, end); at >= 0 {
			head, length = head[:at], n+at+len(end)
		}
	}
	return length
}
