package redact

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// runs is a set of encodings whose texts go on in one alphabet.
type runs uint32

const (
	runBase64 runs = 1 << iota
	runHex
	runPercentAll
	runBase32
	runPercent // and the following, one for each of unreserved

	lineBreak runs = 1 << 31 // not a run: the class of bytes with which a line break may begin
)

// left says how many characters of a value a run is sure to have beyond what was found. A run may go on in another line as
// long as some are left, and not further, or it would swallow the ordinary text that follows. Other runs end with their line.
type left struct{ base64, hex int }

func (l left) max(o left) left { return left{max(l.base64, o.base64), max(l.hex, o.hex)} }

// crossing returns the encodings that go on in the next line.
func (l left) crossing() runs {
	var r runs
	if l.base64 > 0 {
		r |= runBase64
	}
	if l.hex > 0 {
		r |= runHex
	}
	return r
}

// run is a form in such an encoding.
type run struct {
	coded
	rest runs // set if the text covers only the beginning of the value
	left left // likewise
}

// byteClasses says, for each byte, in which encodings a run goes on with it. Nobody writes to it.
var byteClasses = classes()

func classes() [256]runs {
	var out [256]runs
	add := func(r runs, alphabet string) {
		for _, b := range []byte(alphabet) {
			out[b] |= r
		}
	}
	add(runBase64, alphanumeric+"+/-_=")
	add(runHex, hexDigits)
	add(runPercentAll, "%"+hexDigits)
	add(runBase32, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789=")
	add(lineBreak, "\r\n\\")
	for i, safe := range unreserved {
		add(runPercent<<i, alphanumeric+"%+"+safe)
	}
	return out
}

// minBase64 is the shortest base64 text that is looked for: shorter ones turn up by chance.
const minBase64 = 6

const (
	hexDigits    = "0123456789abcdefABCDEF"
	alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// runForms returns the base64, hex, base32, base85 and percent-encoded forms.
func runForms(text string) []run {
	whole := len(text) <= maxRun
	head := []byte(text[:min(len(text), maxRun)])
	var out []run
	add := func(encoding, text string, rest runs, more left) {
		if whole {
			rest, more = 0, left{}
		}
		out = append(out, run{coded{encoding, text}, rest, more})
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for shift, form := range base64Forms(enc, head, whole) {
			if len(form) >= minBase64 {
				add("base64", form, runBase64, left{base64: 8*(shift+len(text))/6 - 8*(shift+len(head))/6})
			}
		}
	}
	lower := hex.EncodeToString(head)
	for _, form := range []string{lower, strings.ToUpper(lower)} {
		add("hex", form, runHex, left{hex: 2 * (len(text) - len(head))})
	}
	for _, form := range []string{percentAll(lower), percentAll(strings.ToUpper(lower))} {
		add("percent", form, runPercentAll, left{})
	}
	if len(head) >= minWhole {
		for _, form := range base32Forms(head) {
			add("base32", form, runBase32, left{})
		}
		for _, form := range base85Forms(head) {
			add("base85", form, 0, left{})
		}
	}
	return append(out, percentSome(text)...)
}

// base64Forms returns, for each alignment that a value can have in a longer text, the characters that depend on nothing but
// the value; and, if it is the whole value, the complete text of the value alone, with and without padding.
func base64Forms(enc *base64.Encoding, value []byte, whole bool) []string {
	var out []string
	buf := make([]byte, 2+len(value))
	copy(buf[2:], value)
	for shift := range 3 {
		text := enc.EncodeToString(buf[2-shift:])
		from, to := (8*shift+5)/6, 8*(shift+len(value))/6
		out = append(out, text[from:to])
	}
	if whole {
		text := enc.EncodeToString(value)
		out = append(out, strings.TrimRight(text, "="), text)
	}
	return out
}
