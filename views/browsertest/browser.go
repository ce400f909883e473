package browsertest

import (
	"context"
	"iter"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// chromium is the headless build, which starts faster.
const chromium = "chromium-headless-shell"

// patience bounds a wait, life a browser.
const (
	patience = 60 * time.Second
	life     = 20 * time.Minute
)

// Browser is a Chromium tab. Its methods fail the test; call them from the test's goroutine.
type Browser struct {
	t        *testing.T
	ctx      context.Context
	base     string
	mu       sync.Mutex
	bad      []string
	expected []string
}

// New starts Chromium for the server at address. It reaches the server as airlock.test, neither
// localhost nor https, as in a home network: browsers there send no Sec-Fetch-Site and offer no
// clipboard API. No other name resolves.
func New(t *testing.T, address string) *Browser {
	t.Helper()
	return newAt(t, "airlock.test", address)
}

// NewAtLocalhost is New by the name localhost, which browsers trust like https.
func NewAtLocalhost(t *testing.T, address string) *Browser {
	t.Helper()
	return newAt(t, "localhost", address)
}

func newAt(t *testing.T, host, address string) *Browser {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	flags := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	flags = append(flags, chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("host-resolver-rules", "MAP airlock.test 127.0.0.1, MAP localhost 127.0.0.1, MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true), chromedp.Flag("no-pings", true),
		chromedp.Flag("disable-features",
			"OptimizationHints,MediaRouter,Translate,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable"))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), flags...)
	t.Cleanup(cancel)
	return open(ctx, t, "http://"+host+":"+u.Port())
}

// Tab opens another tab with the same cookies.
func (b *Browser) Tab() *Browser {
	b.t.Helper()
	return open(b.ctx, b.t, b.base)
}

func open(parent context.Context, t *testing.T, base string) *Browser {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, life)
	t.Cleanup(cancel)
	b := &Browser{t: t, ctx: ctx, base: base}
	Call(b, network.Enable, network.EnableParams{})
	Call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `addEventListener("securitypolicyviolation", (e) => console.error("policy violated: " + e.violatedDirective + " " + e.blockedURI));
			window.keysThatCame = []; // for the words of a failure: a key that was lost looks otherwise like one that nobody heeded
			addEventListener("keydown", (e) => keysThatCame.push(e.key + " to " + (e.target.id || e.target.tagName)), true);
			window.shifted = 0;
			new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifted += e.value; }).observe({ type: "layout-shift", buffered: true });`,
	})
	b.listen()
	t.Cleanup(func() {
		for _, text := range b.Complaints() {
			t.Errorf("the browser complains: %s", text)
		}
	})
	return b
}

func (b *Browser) listen() {
	listen(b, chromedp.Console(b.ctx), func(m chromedp.ConsoleMessage) string {
		switch m.Type {
		case chromedp.ConsoleError, chromedp.ConsoleWarning, chromedp.ConsoleException:
			return "console: " + m.Text
		}
		return ""
	})
	listen(b, chromedp.Events(b.ctx, network.ResponseReceived), func(e network.EventResponseReceived) string {
		if e.Response.Status < 400 {
			return ""
		}
		return "answer " + strconv.FormatInt(e.Response.Status, 10) + ": " + e.Response.URL
	})
	listen(b, chromedp.Events(b.ctx, network.LoadingFailed), func(e network.EventLoadingFailed) string {
		if e.Canceled { // leaving a page cancels its requests
			return ""
		}
		return "failed: " + string(e.Type) + " " + e.ErrorText + " " + string(e.BlockedReason)
	})
}

// listen notes events that complaint has words for.
func listen[T any](b *Browser, events iter.Seq2[T, error], complaint func(T) string) {
	go func() {
		for e, err := range events {
			if err != nil {
				return
			}
			if text := complaint(e); text != "" {
				b.mu.Lock()
				b.bad = append(b.bad, text)
				b.mu.Unlock()
			}
		}
	}()
}

// Expect allows complaints that contain part, such as a refused form's status and path.
func (b *Browser) Expect(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, part)
}

// Complaints returns and clears the unexpected complaints.
func (b *Browser) Complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := slices.DeleteFunc(b.bad, func(text string) bool {
		return slices.ContainsFunc(b.expected, func(part string) bool { return strings.Contains(text, part) })
	})
	b.bad = nil
	return left
}

// Context is the tab's, for chromedp's own actions.
func (b *Browser) Context() context.Context { return b.ctx }

// Do runs actions of chromedp.
func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("%v at %s", err, b.describe())
	}
}

// Open leads to a path of the server.
func (b *Browser) Open(path string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(b.base + path))
}

// Back is the browser's own button.
func (b *Browser) Back() {
	b.t.Helper()
	b.Do(chromedp.NavigateBack())
}

// Until waits for an expression, across page changes.
func (b *Browser) Until(expression string) {
	b.t.Helper()
	if !b.becomes(expression, patience) {
		b.t.Fatalf("never true: %s; at %s", expression, b.describe())
	}
}

// becomes reports whether the expression became true in time.
func (b *Browser) becomes(expression string, within time.Duration) bool {
	for limit := time.Now().Add(within); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean(("+expression+"))"))
		if err == nil && ok {
			return true
		}
	}
	return false
}

// Click scrolls to an element and clicks its middle.
func (b *Browser) Click(selector string) {
	b.t.Helper()
	b.act(chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
}

// act is Do with a bounded wait for elements. It looks again for an element that the page replaced
// or does not show yet.
func (b *Browser) act(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		err := chromedp.Do(ctx, steps...)
		if err == nil {
			return
		}
		hidden := strings.Contains(err.Error(), "Could not find node") ||
			strings.Contains(err.Error(), "Node does not have a layout object")
		if !hidden || ctx.Err() != nil {
			b.t.Fatalf("%v at %s", err, b.describe())
		}
	}
}

// Type types into a field.
func (b *Browser) Type(selector, text string) {
	b.t.Helper()
	b.act(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Press sends keys to the focused element.
func (b *Browser) Press(keys string) {
	b.t.Helper()
	b.Do(chromedp.KeyEvent(keys))
}

// PressUntil presses a repeatable key until the expression is true. Chromium may lose one on a busy
// machine; each repetition is logged.
func (b *Browser) PressUntil(key, expression string) {
	b.t.Helper()
	for range 2 {
		b.Press(key)
		if b.becomes(expression, patience/6) {
			return
		}
		b.t.Logf("pressed %q once more: not yet %s; at %s", key, expression, b.describe())
	}
	b.Press(key)
	b.Until(expression)
}

// Heading waits for the page with this heading.
func (b *Browser) Heading(text string) {
	b.t.Helper()
	b.Until(`document.querySelector("h1")?.innerText === ` + Quoted(text))
}

// Says waits until the element contains the text.
func (b *Browser) Says(selector, text string) {
	b.t.Helper()
	b.Until(`document.querySelector(` + Quoted(selector) + `)?.innerText.includes(` + Quoted(text) + `)`)
}

// Text is what an expression evaluates to.
func (b *Browser) Text(expression string) string {
	b.t.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.t.Fatalf("%s: %v at %s", expression, err, b.describe())
	}
	return text
}

// Size sets the window's size in pixels: 390 by 844 is a phone.
func (b *Browser) Size(width, height int64) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
}

// Theme sets the system's preference, "light" or "dark", and less motion.
func (b *Browser) Theme(theme string) {
	b.t.Helper()
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme},
			{Name: "prefers-reduced-motion", Value: "reduce"}},
	})
}

// Scripts enables or disables scripts of later pages.
func (b *Browser) Scripts(on bool) {
	b.t.Helper()
	Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
}

// Call sends the tab a command of the DevTools protocol and returns its answer.
func Call[P, R any](b *Browser, command cdp.Command[P, R], params P) (answer R) {
	b.t.Helper()
	b.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) (err error) {
		answer, err = chromedp.Call(ctx, command, params)
		return err
	}))
	return answer
}

// Picture writes the whole page to a PNG.
func (b *Browser) Picture(path string) {
	b.t.Helper()
	data, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *Browser) describe() string {
	text, _ := chromedp.Run(b.ctx,
		chromedp.Evaluate[string](`location.href + " " + document.querySelector("main")?.innerText.slice(0, 600)
		+ "; the focus is on " + document.activeElement?.cloneNode().outerHTML + "; keys that came: " + window.keysThatCame.slice(-12).join(", ")`))
	b.mu.Lock()
	defer b.mu.Unlock()
	return text + "; complaints: " + strings.Join(b.bad, " | ")
}

// Quoted is text as a literal of JavaScript.
func Quoted(text string) string { return strconv.Quote(text) }
