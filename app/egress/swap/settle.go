package swap

import "bytes"

// goesOn reports whether a text that ends with a line break may stand in the middle of a value:
// hosts write one in several lines when it is encoded, folded or a list of numbers. Nothing goes on
// behind an empty line, as after an event of a stream, or behind a bracket that closes, as at the
// end of a line of JSON.
func goesOn(text []byte) bool {
	line := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	return len(line) > 0 && bytes.IndexByte([]byte("\n}])>"), line[len(line)-1]) < 0
}
