package egress

import (
	"fmt"
	"net/http"
	"strings"
)

// legalPath returns a target's path in a spelling that net/url keeps. It re-encodes paths with raw
// braces and turns %2F into a slash.
func legalPath(target string) string {
	path, _, _ := strings.Cut(target, "?")
	var b strings.Builder
	for _, c := range []byte(path) {
		if strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// keepTarget keeps the path as the script wrote it, unless a value was put in.
func keepTarget(out *http.Request, target string) {
	path, _, _ := strings.Cut(target, "?")
	legal := legalPath(target)
	if path == legal || out.URL.EscapedPath() != legal || strings.HasPrefix(path, "//") {
		return
	}
	out.URL.Opaque = path
}
