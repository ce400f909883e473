package web

import (
	"context"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	cdpnet "github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/views"
)

// uiBrowser is Chromium on the site under a name that is neither localhost nor https, as in a home network: there browsers send no
// Sec-Fetch-Site and offer no clipboard API. It collects every complaint.
type uiBrowser struct {
	t    *testing.T
	ctx  context.Context
	base string
	mu   sync.Mutex
	bad  []string
}

func newUIBrowser(t *testing.T, s *uiSite) *uiBrowser {
	t.Helper()
	u, err := url.Parse(s.web.URL)
	s.must(err)
	flags := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	flags = append(flags, chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("host-resolver-rules", "MAP airlock.test 127.0.0.1, MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true), chromedp.Flag("no-pings", true),
		chromedp.Flag("disable-features", "OptimizationHints,MediaRouter,Translate,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable"))
	if path := os.Getenv("AIRLOCK_CHROMIUM"); path != "" {
		flags = append(flags, chromedp.ExecPath(path))
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), flags...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b := &uiBrowser{t: t, ctx: ctx, base: "http://airlock.test:" + u.Port()}
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, cdpnet.Enable, cdpnet.EnableParams{}); err != nil {
			return err
		}
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
			Source: `addEventListener("securitypolicyviolation", (e) => console.error("policy violated: " + e.violatedDirective + " " + e.blockedURI));`,
		})
		return err
	}))
	messages, answers := chromedp.Console(ctx), chromedp.Events(ctx, cdpnet.ResponseReceived)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning || m.Type == chromedp.ConsoleException {
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
				b.complain("answer: " + e.Response.URL)
			}
		}
	}()
	return b
}

func (b *uiBrowser) complain(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bad = append(b.bad, text)
}

func (b *uiBrowser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		where, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + " " + document.querySelector("main")?.innerText.slice(0, 600)`))
		b.t.Fatalf("%v at %s; complaints %q", err, where, b.bad)
	}
}

// until waits for an expression to be true, across changes of the page.
func (b *uiBrowser) until(expression string) {
	b.t.Helper()
	for limit := time.Now().Add(20 * time.Second); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if err == nil && ok {
			return
		}
	}
	where, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + " " + document.querySelector("main")?.innerText.slice(0, 600)`))
	b.t.Fatalf("never true: %s; at %s; complaints %q", expression, where, b.bad)
}

func (b *uiBrowser) click(selector string) {
	b.t.Helper()
	b.do(chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
}

func (b *uiBrowser) typeInto(selector, text string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

func (b *uiBrowser) heading(text string) {
	b.t.Helper()
	b.until(`document.querySelector("h1")?.innerText === ` + quoted(text))
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

// TestUIInABrowser walks the main path with a mouse and a keyboard, with scripts on, over plain HTTP.
func TestUIInABrowser(t *testing.T) {
	s := newUISite(t)
	b := newUIBrowser(t, s)
	b.do(chromedp.Navigate(b.base + views.Root))
	b.typeInto("#token", uiToken)
	b.click("form .primary")
	b.heading("Overview")

	// The copy button works without a clipboard API.
	b.click("[data-copy=invitation]")
	b.until(`document.querySelector("[data-copy=invitation]").classList.contains("done")`)

	b.click(`.rail a[href="/ui/credentials"]`)
	b.heading("Credentials")
	b.click(`.head .primary`)
	b.heading("Add a credential")
	b.typeInto("#name", "ORACLE_PASSWORD")
	b.typeInto("#value", uiSecrets()[0])
	b.click(".foot .primary")
	b.heading("Credentials")
	b.until(`document.querySelector(".notice[role=status]")?.innerText.includes("added")`)

	// An agent asks; the list of profiles shows it by itself.
	b.click(`.rail a[href="/ui/profiles"]`)
	b.heading("Profiles")
	p := s.request([]app.Key{{Name: "ORACLE_PASSWORD", Description: "To read revenue"}, {Name: "ORACLE_DSN"}}, "db.example.com:1521")
	b.until(`document.querySelector("#profiles")?.innerText.includes("Monthly revenue report")`)
	b.click(`#profiles a[href="` + views.ProfileURL(p.Handle) + `"]`)
	b.heading("Monthly revenue report")
	b.until(`document.querySelector("#pairing").innerText === ` + quoted(p.PairingCode))
	b.typeInto(`#value\.ORACLE_DSN`, uiSecrets()[1])
	b.click(`[name="allow.0"]`)

	// The agent changes its request: the form stands still and says so.
	_, err := s.access.ProposeHosts(t.Context(), app.Actor{Kind: app.ActorAgent}, p.Handle, []app.Host{{Name: "late.example.com"}})
	s.must(err)
	b.until(`document.querySelector("[data-changed]").hidden === false`)
	b.until(`document.querySelector("#value\\.ORACLE_DSN").value === ` + quoted(uiSecrets()[1]))
	b.click(`.lock .primary`)
	b.heading("Lock Monthly revenue report")
	b.until(`document.querySelector(".sentences").innerText.includes("They can reach db.example.com on port 1521.")`)
	b.click(`.lock button.primary`)
	b.until(`document.querySelector("#profile-id")?.innerText === ` + quoted(p.ID))

	// Executions appear and change by themselves.
	b.click(`.rail a[href="/ui/executions"]`)
	b.heading("Executions")
	_, _, err = s.engine.Submit(t.Context(), engine.Submission{ProfileID: p.ID, Script: "print hello\nask Which one?", By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	b.until(`document.querySelector("#list")?.innerText.includes("Waiting for LLM")`)
	b.click(`#list tbody a`)
	b.until(`document.querySelector("#answer pre")?.innerText === "Which one?"`)
	b.until(`document.querySelector("#stdout-text")?.innerText.includes("hello")`)
	b.typeInto("#response", "The second")
	b.click("#answer .primary")
	b.until(`document.querySelector(".verdict .state")?.innerText.trim() === "Completed"`)
	b.until(`document.querySelector("#stdout-text")?.innerText.includes("answer: The second")`)

	// The overview follows too, and stays whole.
	b.click(`.rail a[href="/ui"]`)
	b.heading("Overview")
	b.until(`document.querySelector("#recent")?.innerText.includes("Completed")`)
	_, _, err = s.engine.Submit(t.Context(), engine.Submission{ProfileID: p.ID, Script: "print x\nfail KeyError: 'nope'", By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	b.until(`document.querySelector("section#recent tbody")?.innerText.includes("Error")`)

	// Cancel asks first, then stops.
	x, _, err := s.engine.Submit(t.Context(), engine.Submission{ProfileID: p.ID, Script: "hang", By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	b.do(chromedp.Navigate(b.base + views.ExecutionURL(x.Handle)))
	b.until(`document.querySelector(".verdict .state")?.innerText.trim() === "Running"`)
	b.click(`form[data-confirm] button`)
	b.until(`document.querySelector("#confirm").open`)
	b.click(`#confirm [value=yes]`)
	b.until(`document.querySelector(".verdict .state")?.innerText.trim() === "Cancelled"`)

	// Back works, and nothing is kept in the browser's storage.
	b.do(chromedp.NavigateBack())
	b.until(`localStorage.length === 0 && sessionStorage.length === 0`)
	b.mu.Lock()
	for _, text := range b.bad {
		t.Errorf("the browser complains: %s", text)
	}
	b.mu.Unlock()

	// When the server goes away, the page says that it may be out of date.
	b.until(`document.getElementById("live")?._htmx?.sse?.reader`)
	s.server.Drain()
	s.web.Close()
	b.until(`document.getElementById("trouble").innerText.includes("may be out of date")`)
}
