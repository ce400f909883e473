package browsertest

import (
	_ "embed" // the checker is read into the tests
	"encoding/json"

	"github.com/chromedp/chromedp"
)

//go:embed testdata/axe.min.js
var axe string

// axeRun checks the page by the rules of WCAG 2.2 A and AA and by axe's own good practices, and
// leaves what it found, one line per element.
const axeRun = `window.__axe = null; axe.run(document, {runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}, resultTypes: ["violations"]})
	.then((r) => { window.__axe = JSON.stringify(r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + ": " + (n.any.concat(n.all, n.none)[0]?.message || v.help)))); },
		(e) => { window.__axe = JSON.stringify(["axe failed: " + e]); });`

// Axe returns what axe-core finds wrong with the page as it stands.
func (b *Browser) Axe() []string {
	b.t.Helper()
	// In one task with the run: a page must not have to load it by itself, since its policy would
	// forbid that.
	if _, err := chromedp.Run(b.ctx,
		chromedp.Evaluate[bool]("(() => { if (!window.axe) {"+axe+"} "+axeRun+" return true; })()")); err != nil {
		b.t.Fatalf("axe: %v at %s", err, b.describe())
	}
	b.Until("window.__axe !== null")
	var found []string
	if err := json.Unmarshal([]byte(b.Text("window.__axe")), &found); err != nil {
		b.t.Fatal(err)
	}
	return found
}
