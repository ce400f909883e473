package fields

import (
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

var (
	percent   = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	surrogate = regexp.MustCompile(`\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}`)
)

// unpercent decodes percent signs before two hex digits, and leaves others.
func unpercent(text string) string {
	return percent.ReplaceAllStringFunc(text, func(escape string) string {
		b, _ := hex.DecodeString(escape[1:])
		return string(b)
	})
}

// unescape takes the escapes of strings in JSON and programs off a text. A backslash before any other
// character stands for that.
func unescape(text string) string {
	text = surrogate.ReplaceAllStringFunc(text, func(pair string) (c string) {
		_ = json.Unmarshal([]byte(`"`+pair+`"`), &c)
		return c
	})
	var b strings.Builder
	for {
		plain, _, found := strings.Cut(text, `\`)
		if b.WriteString(plain); !found {
			return b.String()
		}
		text = text[len(plain):]
		c, wide, rest, err := strconv.UnquoteChar(text, 0)
		switch {
		case err != nil && len(text) > 1:
			b.WriteByte(text[1])
			text = text[2:]
			continue
		case wide:
			b.WriteRune(c)
		default:
			b.WriteByte(byte(c))
		}
		text = rest
	}
}

// These undo what programs do to some signs in a value.
var (
	unescapeShell  = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, "$", "\\`", "`")
	unescapeTick   = strings.NewReplacer("``", "`", "`\"", `"`, "`$", "$", "`'", "'") // of PowerShell
	unescapeColon  = strings.NewReplacer(`\:`, ":", `\\`, `\`)                        // of .pgpass
	undoubleQuotes = strings.NewReplacer(`'"'"'`, "'", `'\''`, "'", `''`, "'")
	undoubleSigns  = strings.NewReplacer("%%", "%", "$$", "$") // of INI and Compose files
)
