package browsertest

import (
	_ "embed" // the checker is read into the tests
	"encoding/json"

	"github.com/chromedp/chromedp"
)

//go:embed testdata/axe.min.js
var axe string

// axeRun checks WCAG 2.2 A and AA and axe's good practices. It stores a line per faulty element.
const axeRun = `window.__axe = null; axe.run(document, {runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}, resultTypes: ["violations"]})
	.then((r) => { window.__axe = JSON.stringify(r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + ": " + (n.any.concat(n.all, n.none)[0]?.message || v.help)))); },
		(e) => { window.__axe = JSON.stringify(["axe failed: " + e]); });`

// Axe returns axe-core's findings on the present page.
func (b *Browser) Axe() []string {
	b.t.Helper()
	// Run it in one task with the load: the page's policy forbids loading axe.
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
