package views_test

import (
	"os"
	"strings"
	"testing"

	"github.com/computclaw/airlock/views/browsertest"
)

// TestAxe: axe-core finds nothing on any page. It looks at every other page light on a desk, at the others dark on a phone; with AIRLOCK_AXE=all (make accessibility) at each in
// both themes at both widths, which takes minutes.
func TestAxe(t *testing.T) {
	srv := gallery(t)
	all, only := os.Getenv("AIRLOCK_AXE") == "all", os.Getenv("AIRLOCK_SCREENSHOTS_ONLY")
	for i, look := range []struct {
		width int64
		theme string
	}{{1280, "light"}, {390, "dark"}, {1280, "dark"}, {390, "light"}} {
		if !all && i > 1 {
			break
		}
		b := browsertest.New(t, srv.URL) // one lives long enough for one look at all pages
		b.Size(look.width, 844)
		b.Theme(look.theme)
		for j, s := range samples() {
			if !all && i != j%2 || only != "" && !strings.Contains(s.name, only) {
				continue
			}
			b.Open("/" + s.name)
			b.Until(`document.readyState === "complete" && document.documentElement.dataset.js === ""`)
			for _, problem := range b.Axe() {
				t.Errorf("%s-%d-%s: %s", s.name, look.width, look.theme, problem)
			}
		}
	}
}
