package guest

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// checkResult accepts exactly one JSON value in valid UTF-8, within size and depth.
func checkResult(data []byte, limit int64) error {
	switch {
	case int64(len(data)) > limit:
		return violation("a result larger than the limit")
	case !utf8.Valid(data):
		return violation("a result that isn't UTF-8")
	}
	// Depth first: what comes after may recurse.
	if depth(data) > MaxDepth {
		return violation("a result nested deeper than %d levels", MaxDepth)
	}
	if !json.Valid(bytes.TrimSpace(data)) {
		return violation("a result that isn't JSON")
	}
	return nil
}

// depth counts brackets outside strings. For data that isn't JSON the answer means nothing.
func depth(data []byte) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}
