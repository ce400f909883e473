package views_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/computclaw/airlock/assets"
	"github.com/computclaw/airlock/views"
)

// policy is the content security policy of the pages.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// gallery serves the samples.
func gallery(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(assets.Prefix, assets.Handler())
	mux.HandleFunc(views.Events, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
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

// browser starts Chromium. It is needed: a machine without it fails the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	flags := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true), chromedp.Flag("disable-features", "OptimizationHints,MediaRouter,Translate"), chromedp.Flag("no-pings", true))
	if path := os.Getenv("AIRLOCK_CHROMIUM"); path != "" {
		flags = append(flags, chromedp.ExecPath(path))
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), flags...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	return ctx
}

// listen collects what the page complains about: console errors, exceptions, failed loads, violations of the policy.
func listen(ctx context.Context) func() []string {
	found := make(chan string, 100)
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException || strings.Contains(m.Text, "Content Security Policy") {
				found <- m.Text
			}
		}
	}()
	return func() []string {
		var all []string
		for {
			select {
			case text := <-found:
				all = append(all, text)
			default:
				return all
			}
		}
	}
}

// TestPagesInABrowser looks at each page in both themes and both widths: nothing is wider than the screen, text stands out from its
// background, every control has a name, targets on a phone are large enough, and the page complains of nothing. With AIRLOCK_SCREENSHOTS set it leaves pictures there.
func TestPagesInABrowser(t *testing.T) {
	srv := gallery(t)
	ctx := browser(t)
	complaints := listen(ctx)
	shots := os.Getenv("AIRLOCK_SCREENSHOTS")
	only := os.Getenv("AIRLOCK_SCREENSHOTS_ONLY")
	for _, width := range []int64{1280, 390} {
		for _, theme := range []string{"light", "dark"} {
			if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 844), preferring(theme)); err != nil {
				t.Fatal(err)
			}
			for _, s := range samples() {
				if only != "" && !strings.Contains(s.name, only) {
					continue
				}
				name := fmt.Sprintf("%s-%d-%s", s.name, width, theme)
				if err := chromedp.Do(ctx, chromedp.Navigate(srv.URL+"/"+s.name), chromedp.WaitReady(chromedp.CSS("html[data-js]"))); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if shots != "" {
					shoot(t, ctx, filepath.Join(shots, name+".png"))
				}
				problems, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](audit))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for _, p := range problems {
					t.Errorf("%s: %s", name, p)
				}
				for _, c := range complaints() {
					t.Errorf("%s: the console says %s", name, c)
				}
			}
		}
	}
}

func preferring(theme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return err
	})
}

func shoot(t *testing.T, ctx context.Context, path string) {
	t.Helper()
	time.Sleep(30 * time.Millisecond) // only for the picture: fonts and hover settle
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, png, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestMoreOnAPhone: the places that don't fit the bar are one tap away, inside the screen.
func TestMoreOnAPhone(t *testing.T) {
	srv := gallery(t)
	ctx := browser(t)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(390, 844), chromedp.Navigate(srv.URL+"/overview"),
		chromedp.Click(chromedp.CSS(".bar button")), chromedp.WaitVisible(chromedp.CSS("#more"))); err != nil {
		t.Fatal(err)
	}
	if shots := os.Getenv("AIRLOCK_SCREENSHOTS"); shots != "" {
		png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err != nil || os.WriteFile(filepath.Join(shots, "more-390.png"), png, 0o600) != nil {
			t.Fatal(err)
		}
	}
	inside, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`(() => { const m = document.getElementById("more").getBoundingClientRect(), b = document.querySelector(".bar").getBoundingClientRect();
		return m.left >= 0 && m.right <= innerWidth && m.bottom <= b.top + 1 && [...document.querySelectorAll("#more .nav")].every((e) => e.getBoundingClientRect().height >= 40); })()`))
	if err != nil || !inside {
		t.Errorf("the menu does not fit: %v", err)
	}
}

// TestKeyboard: the first stop leads past the navigation, and where the focus is can be seen.
func TestKeyboard(t *testing.T) {
	srv := gallery(t)
	ctx := browser(t)
	if err := chromedp.Do(ctx, chromedp.Navigate(srv.URL+"/profiles"), chromedp.KeyEvent("\t")); err != nil {
		t.Fatal(err)
	}
	got, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(() => { const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
		return [e.className, s.outlineStyle, parseFloat(s.outlineWidth) >= 2, r.top >= 0].join(" "); })()`))
	if err != nil || got != "skip solid true true" {
		t.Errorf("the first stop is %q (%v)", got, err)
	}
	if err := chromedp.Do(ctx, chromedp.KeyEvent("\r")); err != nil {
		t.Fatal(err)
	}
	if at, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.activeElement.id`)); err != nil || at != "main" {
		t.Errorf("it leads to %q (%v)", at, err)
	}
}
