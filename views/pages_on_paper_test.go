package views_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/browsertest"
)

// onPaper returns a printed page's faults. It runs in the page.
const onPaper = `(() => {
  const wrong = [], name = (e) => e.outerHTML.slice(0, 120);
  const seen = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length && !e.closest(".visually-hidden, caption");
  for (const e of document.querySelectorAll("nav, .rail, button, .button, input, select, textarea, dialog")) {
    if (seen(e)) wrong.push("nobody can press it: " + name(e));
  }
  const body = getComputedStyle(document.body);
  if (body.backgroundColor !== "rgb(255, 255, 255)" || body.color !== "rgb(0, 0, 0)") wrong.push(body.color + " on " + body.backgroundColor);
  for (const e of document.querySelectorAll("main *:not(svg, svg *)")) {
    const s = getComputedStyle(e);
    if (!seen(e) || s.display === "inline" || s.clipPath !== "none" || (s.overflowX === "visible" && s.overflowY === "visible")) continue;
    if (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) wrong.push("cut: " + name(e));
  }
  for (const e of document.querySelectorAll("main details:not(.masked *, .snippet, .grant *, .add-form, .profile-edit) > :not(summary)")) {
    if (!seen(e) && !e.closest(".card:has(> header + form)")) wrong.push("folded: " + name(e));
  }
  for (const e of document.querySelectorAll("main a[href]")) {
    if (seen(e) && e.innerText.trim() && !getComputedStyle(e).textDecorationLine.includes("underline")) wrong.push("no link to see: " + name(e));
  }
  for (const e of document.querySelectorAll("main .masked p")) if (seen(e)) wrong.push("a token: " + name(e));
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("wider than the paper");
  if (!seen(document.querySelector("h1"))) wrong.push("no heading");
  return wrong.join("\n");
})()`

// TestPagesOnPaper: dark pages print black on white, with whole texts and no buttons.
func TestPagesOnPaper(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	b.Size(717, 1000) // A4 within the margins of browsers
	browsertest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"},
			{Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	for page, want := range map[string]string{
		"execution-completed": "Execution re-run", "execution-error": "KeyError",
		"audit": "Asked for 2 hosts.", "audit-lengthy": "exfil-of-all-the-things",
		"profile-locked": "Monthly revenue report from Oracle", "profile-access": "simphony.example.com", "profile-setup": "ORACLE_PASSWORD",
	} {
		b.Open("/" + page)
		b.Until(`document.readyState === "complete" && document.documentElement.dataset.js === ""`)
		b.Text(`document.documentElement.dataset.theme = "dark"`)
		if wrong := b.Text(onPaper); wrong != "" {
			t.Errorf("%s: %s", page, wrong)
		}
		text := b.Text(`document.querySelector("main").innerText`)
		if !strings.Contains(text, want) || strings.Contains(text, sampleProfile(app.StateLocked).ID) {
			t.Errorf("%s lacks %q, or has a token: %s", page, want, text)
		}
	}
}
