package views_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/computclaw/airlock/assets"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/paths"
)

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

func gallery(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(assets.Prefix, assets.Handler())
	mux.HandleFunc(paths.Events, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc(paths.SettingsMove+"/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent) // a job's progress: nothing new
	})
	for _, s := range samples() {
		mux.HandleFunc("/"+s.name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Security-Policy", policy)
			if err := s.page.Render(r.Context(), w); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
		})
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

// TestPagesInABrowser checks each page on a light desk and a dark phone. Nothing is wider than the
// screen, contrast suffices, controls have names, targets on a phone are large enough, and nothing
// complains. axe-core checks each eighth page.
//
// SANDBOX_SUITE adds a tablet, other themes, and axe-core for every page. PAGES_AXE=all (make
// accessibility) and PAGES_SCREENSHOTS (make screenshots) use every width in both themes: the first
// with axe-core on all, the second names a directory for pictures. PAGES_ONLY selects pages by a
// part of their names.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	srv := gallery(t)
	looks := []look{{1280, "light"}, {390, "dark"}, {820, "light"}, {1280, "dark"}, {390, "light"}, {820, "dark"},
		{1600, "light"}, {1600, "dark"}}
	each := 2 // axe-core checks one page of so many in each of the first two looks
	switch {
	case os.Getenv("PAGES_AXE")+os.Getenv("PAGES_SCREENSHOTS") != "":
	case os.Getenv("SANDBOX_SUITE") != "":
		looks = looks[:6]
	default:
		looks, each = looks[:2], 16
	}
	for i, look := range looks {
		t.Run(look.String(), func(t *testing.T) {
			t.Parallel()
			b := browsertest.New(t, srv.URL)
			b.Size(look.width, 844)
			b.Theme(look.theme)
			for j, s := range samples() {
				if !strings.Contains(s.name, os.Getenv("PAGES_ONLY")) {
					continue
				}
				inspectPage(t, b, s, look)
				if os.Getenv("PAGES_AXE") == "all" || i == j%each {
					for _, problem := range b.Axe() {
						t.Errorf("%s: axe: %s", s.name, problem)
					}
				}
			}
		})
	}
}

// look is a screen size and theme.
type look struct {
	width int64
	theme string
}

func (l look) String() string { return fmt.Sprintf("%d-%s", l.width, l.theme) }

// inspectPage opens a sample and reports its faults.
func inspectPage(t *testing.T, b *browsertest.Browser, s sample, l look) {
	t.Helper()
	shift := ""
	for range 10 { // a busy machine may show a page in pieces; real movement repeats
		b.Open("/" + s.name)
		b.Until(`document.readyState === "complete" && document.documentElement.dataset.js === ""`)
		if shift = b.Text("window.shifted > 0.01 ? window.shifted : ''"); shift == "" {
			break
		}
	}
	if shots := os.Getenv("PAGES_SCREENSHOTS"); shots != "" {
		b.Picture(filepath.Join(shots, s.name+"-"+l.String()+".png"))
	}
	if shift != "" {
		t.Errorf("%s: content moved while the page loaded, by %s", s.name, shift)
	}
	problems, err := chromedp.Run(b.Context(), chromedp.Evaluate[[]string](audit))
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	for _, p := range append(problems, b.Complaints()...) {
		t.Errorf("%s: %s", s.name, p)
	}
}

// TestNoPageScrollsSideways from a small phone to a large desk, with everything unfolded. It tries
// each layout's narrowest screen; SANDBOX_SUITE adds widths between, and pages as they open.
func TestNoPageScrollsSideways(t *testing.T) {
	t.Parallel()
	widths, folds := []int64{320, 481, 721, 961, 1025, 1201}, []string{"true"}
	if os.Getenv("SANDBOX_SUITE") != "" {
		folds = []string{"false", "true"}
		widths = append(widths, 360, 390, 480, 600, 720, 768, 820, 900, 1024, 1100, 1280, 1440, 1600)
	}
	b := browsertest.New(t, gallery(t).URL)
	for _, s := range samples() {
		if !strings.Contains(s.name, os.Getenv("PAGES_ONLY")) {
			continue
		}
		b.Open("/" + s.name)
		for _, unfolded := range folds {
			b.Text(`document.querySelectorAll("details").forEach((d) => { d.open ||= ` + unfolded + ` })`)
			for _, width := range widths {
				b.Size(width, 844)
				if wide := b.Text(tooWide); wide != "" {
					t.Errorf("%s at %d px, unfolded %s: %s", s.name, width, unfolded, wide)
				}
			}
		}
	}
	b.Complaints() // are the other test's subject
}

// TestMoreOnAPhone: the other places are one tap away on screen.
func TestMoreOnAPhone(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	b.Size(390, 844)
	b.Open("/overview")
	b.Click(".bar button")
	b.Do(chromedp.WaitVisible(chromedp.CSS("#more")))
	if shots := os.Getenv("PAGES_SCREENSHOTS"); shots != "" {
		b.Picture(filepath.Join(shots, "more-390.png"))
	}
	inside := b.Text(`(() => { const m = document.getElementById("more").getBoundingClientRect(), b = document.querySelector(".bar").getBoundingClientRect();
		return m.left >= 0 && m.right <= innerWidth && m.bottom <= b.top + 1 && [...document.querySelectorAll("#more .nav")].every((e) => e.getBoundingClientRect().height >= 40); })()`)
	if inside != "true" {
		t.Error("the menu does not fit")
	}
}

// TestInjectedIsAmberOnlyWhereItIsChosen; lists and records mark it calmly.
func TestInjectedIsAmberOnlyWhereItIsChosen(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	for _, theme := range []string{"light", "dark"} {
		b.Theme(theme)
		for page, of := range map[string]string{
			"credentials":         `tbody .state.injected`,
			"execution-completed": `.verdict .state.injected`,
			"credential":          `.choice.injected:has(:checked) .caution`,
			"profile-setup":       `.requested .caution.if-injected`,
		} {
			b.Open("/" + page)
			b.Until(`document.readyState === "complete"`)
			got := b.Text(`(() => {
				const colour = (name) => { const e = document.body.appendChild(document.createElement("i")); e.className = name; return getComputedStyle(e).color; };
				const seen = getComputedStyle(document.querySelector(` + browsertest.Quoted(of) + `)).color;
				return seen === colour("state person") ? "amber" : seen === colour("state") ? "calm" : seen; })()`)
			want := "calm"
			if strings.Contains(of, "caution") {
				want = "amber"
			}
			if got != want {
				t.Errorf("%s, %s: %s is %s, want %s", page, theme, of, got, want)
			}
		}
	}
}

func TestEventsOnAPhone(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	b.Size(390, 844)
	b.Open("/execution-completed")
	b.Text(`document.querySelector("#events summary").click()`)
	who := b.Text(`[...document.querySelectorAll("#events tbody td:last-child")].map((e) =>
		e.innerText + " " + (e.getBoundingClientRect().right <= e.closest("section").getBoundingClientRect().right)).join(", ")`)
	if who != "Ada Lovelace true" {
		t.Errorf("who: %q", who)
	}
}

// TestKeyboard: the first stop skips the navigation, and the focus is visible.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	b.Open("/profiles")
	b.Press("\t")
	got := b.Text(`(() => { const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
		return [e.className, s.outlineStyle, parseFloat(s.outlineWidth) >= 2, r.top >= 0].join(" "); })()`)
	if got != "skip solid true true" {
		t.Errorf("the first stop is %q", got)
	}
	b.Press("\r")
	if at := b.Text(`document.activeElement.id`); at != "main" {
		t.Errorf("it leads to %q", at)
	}
}

// TestAFailedRequestIsAComplaint: unanswered requests fail a test as refusals do.
func TestAFailedRequestIsAComplaint(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!DOCTYPE html><title>x</title><link rel="icon" href="data:,"><img src="/cut" alt="">`))
	})
	mux.HandleFunc("/cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	b := browsertest.New(t, srv.URL)
	b.Open("/page")
	var heard []string
	for limit := time.Now().Add(20 * time.Second); !strings.Contains(strings.Join(heard, " "),
		"failed: Image net::ERR_EMPTY_RESPONSE"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("heard %q", heard)
		}
		heard = append(heard, b.Complaints()...)
	}
	b.Expect("ERR_EMPTY_RESPONSE") // however else it is told
}
