package redact

import (
	"encoding/base32"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"
)

// variants returns the forms of a value that have about as many characters as it has.
func variants(text string) []coded {
	out := []coded{{"reversed", reversed(text)}, {"ROT13", rot13(text)}}
	if lower := strings.ToLower(text); lower != text { // a value that was used as a host name comes back in lower case
		out = append(out, coded{"lower case", lower})
	}
	if upper := strings.ToUpper(text); upper != text {
		out = append(out, coded{"upper case", upper})
	}
	for _, form := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC} {
		if other := form.String(text); other != text {
			out = append(out, coded{"Unicode form", other})
		}
	}
	little, big := wides(text)
	return append(out, coded{"UTF-16", little}, coded{"UTF-16", big})
}

// wides returns a text in UTF-16, in both orders of bytes.
func wides(text string) (little, big string) {
	units := utf16.Encode([]rune(text))
	low, high := make([]byte, 0, 2*len(units)), make([]byte, 0, 2*len(units))
	for _, u := range units {
		low = binary.LittleEndian.AppendUint16(low, u)
		high = binary.BigEndian.AppendUint16(high, u)
	}
	return string(low), string(high)
}

// wideForms returns the forms of a value in UTF-16 in an encoding, if it has so little Latin that what was decoded can't be told for UTF-16 (see wide).
func wideForms(text string) []run {
	foreign, most, narrow := 0, 0, 0
	units := utf16.Encode([]rune(text))
	for _, u := range units {
		if foreign++; u < 0x100 {
			foreign, narrow = 0, narrow+1
		}
		most = max(most, foreign)
	}
	if most < maxForeign && 6*narrow >= len(units) {
		return nil
	}
	little, big := wides(text)
	return slices.Concat(runForms(little), runForms(big))
}

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

func rot13(text string) string {
	out := []byte(text)
	for i, b := range out {
		out[i] = rotate(b)
	}
	return string(out)
}

func rotate(b byte) byte {
	switch {
	case 'a' <= b && b <= 'z':
		return 'a' + (b-'a'+13)%26
	case 'A' <= b && b <= 'Z':
		return 'A' + (b-'A'+13)%26
	}
	return b
}

// base32Forms returns, for each of the five alignments in a longer text, the characters that depend
// on nothing but the value, in either case: host names are in lower case.
func base32Forms(value []byte) []string {
	out := make([]string, 0, 10)
	buf := make([]byte, 4+len(value))
	copy(buf[4:], value)
	for shift := range 5 {
		text := base32.StdEncoding.EncodeToString(buf[4-shift:])[(8*shift+4)/5 : 8*(shift+len(value))/5]
		out = append(out, text, strings.ToLower(text))
	}
	return out
}

// base85Forms returns, for each of the four alignments in a longer text, the groups that depend on nothing but the value.
func base85Forms(value []byte) []string {
	var out []string
	for _, alphabet := range []string{alphabetA85, alphabetB85} {
		for shift := range 4 {
			from := (4 - shift) % 4
			if form := encode85(value[min(from, len(value)):], alphabet); len(form) >= 10 {
				out = append(out, form)
			}
		}
	}
	return out
}

// encode85 encodes whole groups of four bytes.
func encode85(value []byte, alphabet string) string {
	out := make([]byte, 0, len(value)/4*5)
	for ; len(value) >= 4; value = value[4:] {
		n := binary.BigEndian.Uint32(value)
		var group [5]byte
		for i := 4; i >= 0; i-- {
			group[i] = alphabet[n%85]
			n /= 85
		}
		out = append(out, group[:]...)
	}
	return string(out)
}

const (
	alphabetA85 = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu"
	alphabetB85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
)

// listForms returns the forms that name each byte on its own. Of a long value they have the beginning.
func listForms(text string) []coded {
	head := []byte(text[:min(len(text), maxList)])
	list := func(encoding, before, between string, write func([]byte, byte) []byte) coded {
		out := make([]byte, 0, len(head)*(len(before)+len(between)+3))
		for i, c := range head {
			if i > 0 {
				out = append(out, between...)
			}
			out = write(append(out, before...), c)
		}
		return coded{encoding, string(out)}
	}
	decimal := func(b []byte, c byte) []byte { return strconv.AppendUint(b, uint64(c), 10) }
	octal := func(b []byte, c byte) []byte { return append(b, '0'+c>>6, '0'+c>>3&7, '0'+c&7) }
	hex := func(b []byte, c byte) []byte { return append(b, hexDigits[c>>4], hexDigits[c&15]) }
	upper := func(b []byte, c byte) []byte { return append(b, upperDigits[c>>4], upperDigits[c&15]) }
	return []coded{
		list("decimal list", "", ", ", decimal), list("decimal list", "", ",", decimal), list("decimal list", "", " ", decimal),
		list("octal list", `\`, "", octal), list("octal list", "", " ", octal),
		list("hex list", "", " ", hex), list("hex list", "", ":", hex), list("hex list", "", ",", hex), list("hex list", "", "-", hex),
		list("hex list", "", " ", upper), list("hex list", "", ":", upper), list("hex list", "", "-", upper),
		list("escapes", `\x`, "", hex), list("escapes", `\u00`, "", hex), list("hex list", "0x", ", ", hex),
	}
}

const upperDigits = "0123456789ABCDEF"
