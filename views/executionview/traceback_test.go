package executionview

import (
	"html"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var link = regexp.MustCompile(`<a href="(#line-\d+)" hx-boost="false">|</a>`)

// TestTraced links only existing lines and loses no character.
func TestTraced(t *testing.T) {
	t.Parallel()
	text := "Traceback\n  File \"script.py\", line 4, in <module>\n  File \"script.py\", line 99, in f\n  File " +
		"\"script.py\", line \n  File \"script.py\", line 00000000000000000001\n  File \"/usr/x.py\", line 2\nKeyError"
	page := linkLines(text, 7)
	if got := html.UnescapeString(link.ReplaceAllString(page, "")); got != text {
		t.Errorf("it became %q", got)
	}
	var lines []string
	for _, m := range link.FindAllStringSubmatch(page, -1) {
		if m[1] != "" {
			lines = append(lines, m[1])
		}
	}
	if diff := cmp.Diff([]string{"#line-4"}, lines); diff != "" {
		t.Error(diff)
	}
}
