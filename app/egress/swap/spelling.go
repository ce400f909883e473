package swap

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf16"
)

// spelling is one way in which a placeholder can be written. Its prefix is a row of symbols, each with alternatives; its tail is read
// by the spelling's own reader.
type spelling struct {
	symbols []alternatives
	tail    func(data []byte) (text string, length int, state progress)
}

// alternatives are the byte strings that stand for one character.
type alternatives []string

// progress says how far reading came.
type progress int

const (
	complete   progress = iota
	impossible          // whatever follows
	unfinished          // the data ended too early
)

// spellings returns all ways that are recognised: as it is, or in any mixture of capitals, percent-encoding (also twice), \u and \x
// escapes and numeric HTML references; hex; UTF-16 and UTF-32; base64 at each alignment, also broken into lines.
func spellings() []spelling {
	all := []spelling{
		spellOut(escapedSpellings, ""),
		spellOut(hexSpellings, ""),
		spellOut(wideSpellings("\x00"), "\x00"),
		spellOut(wideSpellings("\x00\x00\x00"), "\x00\x00\x00"),
	}
	for _, prefix := range []string{Prefix, strings.ToUpper(Prefix)} {
		for shift := range 3 {
			all = append(all, spellBase64(prefix, shift))
		}
	}
	return all
}

// spellOut makes a spelling of one that treats each character on its own. The first character stands without lead.
func spellOut(spell func(c byte) alternatives, lead string) spelling {
	var s spelling
	for i, c := range []byte(Prefix) {
		symbol := spell(c)
		if i == 0 {
			for j := range symbol {
				symbol[j] = strings.TrimPrefix(symbol[j], lead)
			}
		}
		s.symbols = append(s.symbols, symbol)
	}
	r := &tailReader{many: map[string]byte{}}
	for _, c := range []byte(tailAlphabet) {
		for _, text := range spell(c) {
			r.longest = max(r.longest, len(text))
			if len(text) == 1 {
				r.single[text[0]] = c
			} else {
				r.many[text] = c
			}
		}
	}
	s.tail = r.read
	return s
}

// tailReader reads characters that are each spelled on their own, with one byte or with many.
type tailReader struct {
	single  [256]byte // 0 for none
	many    map[string]byte
	longest int
}

func (r *tailReader) read(data []byte) (string, int, progress) {
	var out [tailLength]byte
	at := 0
	for i := range out {
		c, n := r.character(data[at:])
		switch {
		case c == 0 && len(data)-at < r.longest:
			return "", 0, unfinished
		case c == 0:
			return "", 0, impossible
		}
		out[i] = c
		at += n
	}
	return string(out[:]), at, complete
}

// character returns the first character and its length, 0 if there is none.
func (r *tailReader) character(data []byte) (byte, int) {
	if len(data) > 0 && r.single[data[0]] != 0 {
		return r.single[data[0]], 1
	}
	for n := 2; n <= min(r.longest, len(data)); n++ {
		if c := r.many[string(data[:n])]; c != 0 {
			return c, n
		}
	}
	return 0, 0
}

func bothCases(c byte) []byte {
	if 'a' <= c && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

func escapedSpellings(c byte) alternatives {
	var out alternatives
	for _, c := range bothCases(c) {
		out = append(out, string(c), fmt.Sprintf("&#%d;", c))
		for _, hex := range hexOf(c) {
			out = append(out, "%"+hex, "%25"+hex, `\u00`+hex, `\x`+hex, "&#x"+hex+";")
		}
	}
	return out
}

func hexSpellings(c byte) alternatives {
	var out alternatives
	for _, c := range bothCases(c) {
		out = append(out, hexOf(c)...)
	}
	return out
}

func hexOf(c byte) []string {
	lower, upper := fmt.Sprintf("%02x", c), fmt.Sprintf("%02X", c)
	if lower == upper {
		return []string{lower}
	}
	return []string{lower, upper}
}

func wideSpellings(lead string) func(c byte) alternatives {
	return func(c byte) alternatives {
		var out alternatives
		for _, c := range bothCases(c) {
			out = append(out, lead+string(c))
		}
		return out
	}
}

// lineBreaks may stand between characters of base64.
var lineBreaks = [...]string{"\r\n", "\n", `\r\n`, `\n`}

// maxBreak is the length of the longest of them.
const maxBreak = 4

// spellBase64 makes the spelling for a prefix that begins shift bytes after a multiple of three.
func spellBase64(prefix string, shift int) spelling {
	text := interior(base64.StdEncoding, prefix, shift)
	s := spelling{tail: func(data []byte) (string, int, progress) { return readBase64(data, text[len(text)-shift:], shift) }}
	for i, c := range text {
		symbol := alternatives{string(c)}
		for _, br := range lineBreaks {
			if i > 0 {
				symbol = append(symbol, br+string(c))
			}
		}
		s.symbols = append(s.symbols, symbol)
	}
	return s
}

// interior returns the characters of an encoding that depend on nothing but the text, which begins shift bytes after a multiple of three.
func interior(enc *base64.Encoding, text string, shift int) string {
	encoded := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + text))
	return encoded[(8*shift+5)/6 : 8*(shift+len(text))/6]
}

// readBase64 reads a tail of which begun, the characters since the last multiple of three bytes, were read already.
func readBase64(data []byte, begun string, shift int) (string, int, progress) {
	run := []byte(begun)
	need := (8*(shift+tailLength) + 5) / 6
	at := 0
	for len(run) < need {
		rest := data[at:]
		n := breakLength(rest)
		if len(rest) == n || n == 0 && len(rest) < maxBreak && (rest[0] == '\r' || rest[0] == '\\') {
			return "", 0, unfinished
		}
		i := strings.IndexByte(base64Letters, rest[n])
		if i < 0 {
			return "", 0, impossible
		}
		run, at = append(run, base64Letters[i]), at+n+1
	}
	for i, c := range run {
		run[i] = urlToStd(c)
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(run)))
	n, err := base64.RawStdEncoding.Decode(out, run)
	if err != nil || n < shift+tailLength {
		return "", 0, impossible
	}
	tail := strings.ToLower(string(out[shift : shift+tailLength]))
	if !isTail(tail) {
		return "", 0, impossible
	}
	return tail, at, complete
}

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"

func urlToStd(c byte) byte {
	switch c {
	case '-':
		return '+'
	case '_':
		return '/'
	}
	return c
}

func breakLength(data []byte) int {
	for _, br := range lineBreaks {
		if len(data) >= len(br) && string(data[:len(br)]) == br {
			return len(br)
		}
	}
	return 0
}

// utf16Bytes returns text in UTF-16, little or big end first.
func utf16Bytes(text string, big bool) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		low, high := byte(unit), byte(unit>>8)
		if big {
			low, high = high, low
		}
		b.WriteByte(low)
		b.WriteByte(high)
	}
	return b.String()
}
