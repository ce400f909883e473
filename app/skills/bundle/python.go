package bundle

import (
	"path"
	"regexp"
	"strings"

	"github.com/computclaw/airlock/app/python"
)

func isPython(f File) bool {
	first, _, _ := strings.Cut(string(f.Content[:min(len(f.Content), 100)]), "\n")
	return path.Ext(f.Path) == ".py" || strings.HasPrefix(first, "#!") && strings.Contains(first, "python")
}

// pyCoding is a line in which a source names its encoding (PEP 263).
var pyCoding = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)

// foreignCoding returns the encoding that a source names, and its line, if it isn't UTF-8. Python
// then reads another program than a person. It checks the first two lines only.
func foreignCoding(source string) (name string, line int) {
	lines := strings.SplitN(python.Newlines.Replace(strings.TrimPrefix(source, "\ufeff")), "\n", 3)
	for i, text := range lines[:min(2, len(lines))] {
		coding := pyCoding.FindStringSubmatch(text)
		if coding == nil {
			continue
		}
		switch strings.ReplaceAll(strings.ToLower(coding[1]), "_", "-") {
		case "utf-8", "utf8", "utf-8-sig", "utf-8-unix", "ascii", "us-ascii":
		default:
			return coding[1], i + 1
		}
	}
	return "", 0
}
