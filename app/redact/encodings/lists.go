package encodings

import (
	"strconv"

	"github.com/computclaw/airlock/app/redact/charset"
)

// Lists returns the forms that name each byte on its own. Of a long value they have the beginning.
func Lists(text string) []Form {
	head := []byte(text[:min(len(text), maxList)])
	list := func(encoding, before, between string, write func([]byte, byte) []byte) Form {
		out := make([]byte, 0, len(head)*(len(before)+len(between)+3))
		for i, c := range head {
			if i > 0 {
				out = append(out, between...)
			}
			out = write(append(out, before...), c)
		}
		return Form{encoding, string(out)}
	}
	decimal := func(b []byte, c byte) []byte { return strconv.AppendUint(b, uint64(c), 10) }
	octal := func(b []byte, c byte) []byte { return append(b, '0'+c>>6, '0'+c>>3&7, '0'+c&7) }
	hex := func(b []byte, c byte) []byte { return append(b, charset.HexDigits[c>>4], charset.HexDigits[c&15]) }
	upper := func(b []byte, c byte) []byte { return append(b, charset.UpperDigits[c>>4], charset.UpperDigits[c&15]) }
	return []Form{
		list("decimal list", "", ", ", decimal), list("decimal list", "", ",", decimal),
		list("decimal list", "", " ", decimal),
		list("octal list", `\`, "", octal), list("octal list", "", " ", octal),
		list("hex list", "", " ", hex), list("hex list", "", ":", hex), list("hex list", "", ",", hex),
		list("hex list", "", "-", hex),
		list("hex list", "", " ", upper), list("hex list", "", ":", upper), list("hex list", "", "-", upper),
		list("escapes", `\x`, "", hex), list("escapes", `\u00`, "", hex), list("hex list", "0x", ", ", hex),
	}
}
