package browsertest

import (
	"context"
	"net/url"
	"os"
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
	b.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `addEventListener("securitypolicyviolation", (e) => console.error("policy violated: " + e.violatedDirective + " " + e.blockedURI));
				window.keysThatCame = []; // for the words of a failure: a key that was lost looks otherwise like one that nobody heeded
				addEventListener("keydown", (e) => keysThatCame.push(e.key + " to " + (e.target.id || e.target.tagName)), true);
				window.shifted = 0;
				new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifted += e.value; }).observe({ type: "layout-shift", buffered: true });`,
		})
		return err
	}))
	b.listen()
	t.Cleanup(b.complaints)
	return b
}

func (b *Browser) listen() {
	messages, answers, failures := chromedp.Console(b.ctx), chromedp.Events(b.ctx, network.ResponseReceived),
		chromedp.Events(b.ctx, network.LoadingFailed)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning ||
				m.Type == chromedp.ConsoleException {
				b.complain("console: " + m.Text)
			}
		}
	}()
	go func() {
		for e, err := range answers {
			if err != nil {
				return
			}
			if e.Response.Status >= 400 {
				b.complain("answer " + strconv.FormatInt(e.Response.Status, 10) + ": " + e.Response.URL)
			}
		}
	}()
	go func() {
		for e, err := range failures {
			if err != nil {
				return
			}
			if !e.Canceled { // leaving a page cancels its requests
				b.complain("failed: " + string(e.Type) + " " + e.ErrorText + " " + string(e.BlockedReason))
			}
		}
	}()
}

func (b *Browser) complain(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bad = append(b.bad, text)
}

// Expect allows complaints that contain part, such as a refused form's status and path.
func (b *Browser) Expect(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, part)
}

func (b *Browser) complaints() {
	for _, text := range b.Complaints() {
		b.t.Errorf("the browser complains: %s", text)
	}
}

// Complaints returns and clears the unexpected complaints.
func (b *Browser) Complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var left []string
	for _, text := range b.bad {
		wanted := false
		for _, part := range b.expected {
			wanted = wanted || strings.Contains(text, part)
		}
		if !wanted {
			left = append(left, text)
		}
	}
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
	err := chromedp.Do(ctx, steps...)
	for err != nil && notShown(err) && ctx.Err() == nil {
		err = chromedp.Do(ctx, steps...)
	}
	if err != nil {
		b.t.Fatalf("%v at %s", err, b.describe())
	}
}

func notShown(err error) bool {
	return strings.Contains(err.Error(), "Could not find node") ||
		strings.Contains(err.Error(), "Node does not have a layout object")
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
	b.emulate("", theme)
}

// Paper shows pages as printed for a person who prefers dark.
func (b *Browser) Paper() {
	b.t.Helper()
	b.emulate("print", "dark")
}

func (b *Browser) emulate(media, theme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: media,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme},
			{Name: "prefers-reduced-motion", Value: "reduce"}},
	})
}

// Notch makes screen margins unsafe, in pixels.
func (b *Browser) Notch(top, right, bottom, left int64) {
	b.t.Helper()
	call(b, emulation.SetSafeAreaInsetsOverride, emulation.SetSafeAreaInsetsOverrideParams{
		Insets: &emulation.SafeAreaInsets{Top: &top, Right: &right, Bottom: &bottom, Left: &left},
	})
}

// Scripts enables or disables scripts of later pages.
func (b *Browser) Scripts(on bool) {
	b.t.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
}

// call sends the tab a command and drops its answer.
func call[P, R any](b *Browser, command cdp.Command[P, R], params P) {
	b.t.Helper()
	b.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, command, params)
		return err
	}))
}

// Picture writes the whole page to a PNG.
func (b *Browser) Picture(path string) {
	b.t.Helper()
	b.write(path, chromedp.FullScreenshot(100))
}

// PDF prints the page to a file.
func (b *Browser) PDF(path string) {
	b.t.Helper()
	b.write(path, chromedp.PrintToPDF())
}

func (b *Browser) write(path string, what chromedp.Action[[]byte]) {
	b.t.Helper()
	data, err := chromedp.Run(b.ctx, what)
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
