package executionview

import (
	"context"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// scriptFile matches what a traceback calls a line of the script.
var scriptFile = regexp.MustCompile(`File "script\.py", line (\d{1,7})`)

// tracedText links the script lines in a traceback.
func tracedText(text string, lines int) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, linkLines(text, lines))
		return err
	})
}

// linkLines returns text as HTML with links to existing script lines.
func linkLines(text string, lines int) string {
	var b strings.Builder
	from := 0
	for _, at := range scriptFile.FindAllStringSubmatchIndex(text, -1) {
		n, err := strconv.Atoi(text[at[2]:at[3]])
		if err != nil || n < 1 || n > lines {
			continue
		}
		b.WriteString(templ.EscapeString(text[from:at[0]]) + `<a href="#line-` + strconv.Itoa(n) + `" hx-boost="false">` +
			templ.EscapeString(text[at[0]:at[1]]) + `</a>`)
		from = at[1]
	}
	return b.String() + templ.EscapeString(text[from:])
}

// lineCount returns a script's line count on the page.
func lineCount(script string) int {
	return 1 + strings.Count(strings.TrimSuffix(strings.ReplaceAll(script, "\r\n", "\n"), "\n"), "\n")
}
