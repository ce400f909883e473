package content

import (
	"bytes"
	"errors"
)

// maxNested bounds nested objects in a line. Ours have at most half of that.
const maxNested = 16

var (
	errName   = errors.New("the name of a member is not of lower-case letters, digits and underscores")
	errTwice  = errors.New("a member stands twice in its object")
	errNested = errors.New("it is nested deeper than any that Airlock writes")
)

// checkNames refuses a line with an unusual or repeated member name. The decoder ignores case and
// takes the last of two, so another reader could see other contents. The decoder refuses what is
// not JSON.
func checkNames(line []byte) error {
	var open []map[string]struct{} // the names so far in each object that has not ended
	depth := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '{':
			if depth++; depth > maxNested {
				return errNested
			}
			if len(open) < depth {
				open = append(open, map[string]struct{}{})
			}
			clear(open[depth-1])
		case '}':
			depth = max(0, depth-1)
		case '"':
			text := quoted(line[i+1:])
			i += len(text) + 1
			if depth == 0 || !bytes.HasPrefix(bytes.TrimLeft(line[min(i+1, len(line)):], " \t\r"), []byte{':'}) {
				continue
			}
			if !plainName(text) {
				return errName
			}
			if _, twice := open[depth-1][string(text)]; twice {
				return errTwice
			}
			open[depth-1][string(text)] = struct{}{}
		}
	}
	return nil
}

// quoted returns a string's raw text before its closing quote. Without a quote it returns
// everything.
func quoted(text []byte) []byte {
	for end := 0; ; end++ {
		next := bytes.IndexByte(text[end:], '"')
		if next < 0 {
			return text
		}
		end += next
		escapes := end - len(bytes.TrimRight(text[:end], `\`))
		if escapes%2 == 0 {
			return text[:end]
		}
	}
}

func plainName(text []byte) bool {
	for _, c := range text {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}
