package derived

import "github.com/computclaw/airlock/app/redact/charset"

// Seams leaves out what stands between texts.
var Seams = filter{class: charset.ClassOf(func(c byte) uint8 {
	if c == Separator[0] {
		return drop
	}
	return keep
})}

// Separator stands between the leaves of a root. It is no part of any code, and left out with the
// white space.
const Separator = "\x1f"
