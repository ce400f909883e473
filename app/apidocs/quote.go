package apidocs

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/computclaw/airlock/app"
)

// quote makes an untrusted text safe between quotation marks in Markdown. It leaves one line of at
// most limit bytes, without markup, invisible characters or closing quotation marks.
func quote(text string, limit int) string {
	flat := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !strconv.IsPrint(r), app.IsInvisible(r):
			return -1
		case unicode.Is(unicode.Quotation_Mark, r), strings.ContainsRune("′″‴‵‶‷⁗❛❜❝❞❮❯ʺ˝ˮ״〃🙶🙷🙸", r):
			return '\''
		case strings.ContainsRune("`|<>[]*_#\\~&{}", r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return `"` + app.Clip(strings.Join(strings.Fields(flat), " "), limit) + `"`
}
