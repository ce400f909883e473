package views_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/computclaw/airlock/views/browsertest"
)

// underNotch runs in a page and returns what lies outside the safe margins.
const underNotch = `((top, right, bottom, left) => {
  const under = (e) => { const r = e.getBoundingClientRect(); return r.left < left || r.right > innerWidth - right + 1 || r.top < top || (e.closest(".bar") && r.bottom > innerHeight - bottom); };
  const seen = (e) => e.checkVisibility() && !e.closest(".visually-hidden, .skip, caption, thead, dialog, .scroll, .index, .rail .label");
  const wrong = [...document.querySelectorAll("h1, p, a, button, th, td")].filter((e) => seen(e) && under(e)).map((e) => e.outerHTML.slice(0, 100));
  scrollTo(0, document.documentElement.scrollHeight);
  const last = Math.max(...[...document.querySelectorAll("main > *")].filter(seen).map((e) => e.getBoundingClientRect().bottom));
  const bar = document.querySelector(".bar");
  if (last > (bar?.checkVisibility() ? bar.getBoundingClientRect().top : innerHeight - bottom)) wrong.push("the end of the page can't be reached");
  return wrong.join("\n");
})`

// TestPagesBesideANotch: nothing to read or press lies under a notch or home bar.
func TestPagesBesideANotch(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	for _, held := range []struct{ width, height, top, right, bottom, left int64 }{
		{390, 844, 47, 0, 34, 0}, {844, 390, 0, 47, 21, 47},
	} {
		b.Size(held.width, held.height)
		browsertest.Call(b, emulation.SetSafeAreaInsetsOverride, emulation.SetSafeAreaInsetsOverrideParams{
			Insets: &emulation.SafeAreaInsets{Top: &held.top, Right: &held.right, Bottom: &held.bottom, Left: &held.left},
		})
		for _, page := range []string{"overview", "profile-locked", "execution-completed", "credentials", "login"} {
			b.Open("/" + page)
			b.Until(`document.readyState === "complete"`)
			wrong := b.Text(fmt.Sprintf("%s(%d, %d, %d, %d)", underNotch, held.top, held.right, held.bottom, held.left))
			if wrong != "" {
				t.Errorf("%s at %d by %d: %s", page, held.width, held.height, wrong)
			}
		}
	}
}
