package views_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/profileview"
)

// The description of a request is shown whole, under a short name.
func TestALongDescriptionIsReadWhole(t *testing.T) {
	t.Parallel()
	for _, description := range []string{
		"Monthly report",
		lengthyProfile().Profile.Description,
		"Monthly report\n\nReads revenue by outlet.",
		strings.Repeat("every outlet of the group, ", 30) + "\nand its auditors",
		strings.Repeat("ä", 200),
	} {
		p := lengthyProfile()
		p.Profile.Description = description
		page := document(t, profileview.Profile(p))
		name, got := page.Find("h1 q").Text(), page.Find("#rest blockquote").Text()
		if len([]rune(name)) > app.MaxProfileName {
			t.Errorf("the name is %q", name)
		}
		if !strings.HasSuffix(name, "…") {
			got = name + " " + got
		}
		letters := func(text string) string {
			return strings.Join(strings.Fields(strings.ReplaceAll(text, "…", "")),
				"")
		}
		if letters(got) != letters(description) {
			t.Errorf("%q reads %q", description, got)
		}
	}
}

// Token holders are unknown until they give a name on the next page.
func TestATokenIsShownBySomebody(t *testing.T) {
	t.Parallel()
	if page := rendered(t, "audit-lengthy").Text(); !strings.Contains(page, "Somebody at 192.168.1.40") {
		t.Error("the entry names an agent")
	}
}

// Long words cross neither their card nor neighbouring text.
func TestLongWordsStayInTheirPlace(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	for _, width := range []int64{1280, 390} {
		b.Size(width, 844)
		for _, page := range []string{"profile-lengthy", "audit-lengthy"} {
			b.Open("/" + page)
			b.Text(`document.querySelectorAll(".card details").forEach((fold) => { fold.open = true; })`)
			if out := b.Text(`[...document.querySelectorAll(".card tr > *, .card .key-info > *, .card .key-info button")].filter((e) => {
				const box = e.closest(".key-info") ?? e.closest(".card"), range = document.createRange();
				range.selectNodeContents(e);
				return !e.querySelector(".visually-hidden") && e.getClientRects().length && range.getBoundingClientRect().right > box.getBoundingClientRect().right + 1;
			}).map((e) => e.textContent.trim().slice(0, 40)).join(" | ")`); out != "" {
				t.Errorf("%s, %d px: out of its place: %s", page, width, out)
			}
		}
	}
}

func TestCompareOnAPhone(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	b.Size(390, 844)
	b.Open("/compare")
	if seen := b.Text(`["removed", "added"].map((side) => [...document.querySelectorAll(".diff .line." + side)].every((e) => e.getClientRects().length && e.getBoundingClientRect().right <= innerWidth) &&
		document.querySelectorAll(".diff .line." + side).length > 0).join(" ")`); seen != "true true" {
		t.Errorf("the sides are seen: %s", seen)
	}
}

func TestLinesOfAComparisonAlign(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	b.Size(1280, 844)
	b.Open("/compare")
	if starts := b.Text(`String(new Set([...document.querySelectorAll(".diff td:nth-child(2) .text")].filter((e) => e.textContent).map((e) => Math.round(e.getBoundingClientRect().left))).size)`); starts != "1" {
		t.Errorf("lines begin in %s places", starts)
	}
}

// TestNothingTouchesItsNeighbour: chart label and bars, agents' words and next card, long name and
// icon.
func TestNothingTouchesItsNeighbour(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	const box = `const box = (e) => e.getBoundingClientRect();`
	for _, width := range []int64{1280, 390} {
		b.Size(width, 844)
		for page, apart := range map[string]string{
			"overview":        `[...document.querySelectorAll(".chart .plot")].map((e) => box(e.querySelector("svg")).top - box(e.querySelector(".scale")).bottom)`,
			"stats":           `[...document.querySelectorAll(".chart .plot")].map((e) => box(e.querySelector("svg")).top - box(e.querySelector(".scale")).bottom)`,
			"profile-lengthy": `[box(document.querySelector("main .card")).top - box(document.querySelector(".head .quoted")).bottom - 8]`,
			"search":          `[...document.querySelectorAll(".link-list a")].map((e) => box(e.querySelector("b")).left - box(e.querySelector("svg")).right)`,
		} {
			b.Open("/" + page)
			b.Until(`document.readyState === "complete"`)
			if got := b.Text(`(() => { ` + box + ` const all = ` + apart + `; return all.length > 0 && all.every((n) => n >= 0) || all.join(" "); })()`); got != "true" {
				t.Errorf("%s, %d px: %s px apart", page, width, got)
			}
		}
	}
}
