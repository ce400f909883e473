package views_test

import (
	"bytes"
	"compress/gzip"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/profileview"
	"github.com/computclaw/airlock/views/settingsview"
)

// apart finds a comma that is separated from its word.
var apart = regexp.MustCompile(`\S[^\S\n\t]+[,;] .{0,20}`)

// percents finds a number apart from its percent sign.
var percents = regexp.MustCompile(`\d\s%`)

// TestEveryPage checks the content security policy and accessibility of each page.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			var buf bytes.Buffer
			if err := s.page.Render(t.Context(), &buf); err != nil {
				t.Fatal(err)
			}
			var zipped bytes.Buffer
			w := gzip.NewWriter(&zipped)
			_, _ = w.Write(buf.Bytes())
			_ = w.Close()
			if zipped.Len() > 60<<10 {
				t.Errorf("%d bytes compressed", zipped.Len())
			}
			doc, err := goquery.NewDocumentFromReader(&buf)
			if err != nil {
				t.Fatal(err)
			}
			for selector, most := range map[string]int{"[style], style, script:not([src]), [href^='javascript:']": 0,
				"h1":   1,
				"main": 1, "head title": 1} {
				if n := doc.Find(selector).Length(); n > most {
					t.Errorf("%d elements match %s", n, selector)
				}
			}
			if n := doc.Find("[autofocus]").Not("dialog [autofocus]").Length(); n > 1 {
				t.Errorf("%d fields want the focus", n)
			}
			if doc.Find("html[lang]").Length() != 1 || doc.Find("h1").Length() != 1 || doc.Find("main").Length() != 1 {
				t.Error("language, heading or main is missing")
			}
			doc.Find("*").Each(func(_ int, e *goquery.Selection) {
				for _, a := range e.Nodes[0].Attr {
					if strings.HasPrefix(a.Key, "on") {
						t.Errorf("inline handler %s", a.Key)
					}
				}
			})
			doc.Find("form[method=post]").Each(func(_ int, e *goquery.Selection) {
				if !strings.HasPrefix(e.AttrOr("action", ""), "/ui") {
					t.Errorf("a form leads to %q", e.AttrOr("action", ""))
				}
			})
			doc.Find(".secret, input[type=password]").Each(func(_ int, e *goquery.Selection) {
				if e.Text() != "" || e.AttrOr("value", "") != "" {
					t.Error("a secret field is filled in")
				}
			})
			if !s.free && doc.Find("a.skip[href='#main']").Length() != 1 {
				t.Error("no way past the navigation")
			}
			if at := percents.FindString(doc.Find("body").Text()); at != "" {
				t.Errorf("a percent sign stands apart: %q", at)
			}
			if at := apart.FindString(doc.Find("body").Text()); at != "" {
				t.Errorf("a space stands before a sign: %q", at)
			}
			doc.Find(".markdown").Remove() // its words are the author's
			if strings.Contains(doc.Text(), "!") && !strings.Contains(doc.Find("pre").Text(), "!") {
				t.Error("somebody shouts")
			}
		})
	}
}

// Followers look once more after connecting, for changes that they missed.
func TestWhatFollowsEventsLooksOnceMoreWhenConnected(t *testing.T) {
	t.Parallel()
	following := 0
	for _, s := range samples() {
		var buf bytes.Buffer
		if err := s.page.Render(t.Context(), &buf); err != nil {
			t.Fatal(err)
		}
		doc, err := goquery.NewDocumentFromReader(&buf)
		if err != nil {
			t.Fatal(err)
		}
		doc.Find("[hx-trigger*='from:body']").Each(func(_ int, e *goquery.Selection) {
			following++
			// tells the server that nobody need be there
			if kind := goquery.NodeName(e); kind != "div" && kind != "section" {
				t.Errorf("%s: a %s follows events", s.name, kind)
			}
			if trigger := e.AttrOr("hx-trigger", ""); !strings.Contains(trigger, "connected from:body") {
				t.Errorf("%s: #%s follows %q only", s.name, e.AttrOr("id", "?"), trigger)
			}
		})
	}
	if following < 10 {
		t.Errorf("%d parts follow anything", following)
	}
}

// TestNoConnectionSoFar: only ended executions are told as over.
func TestNoConnectionSoFar(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"execution-running": "No connection so far.", "execution-error": "The script opened no connection.",
	} {
		if text := rendered(t, page).Find("#network").Text(); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q: %s", page, want, text)
		}
	}
}

// TestTokensStandOnTheirPageOnly: a profile's id is its agent's token.
func TestTokensStandOnTheirPageOnly(t *testing.T) {
	t.Parallel()
	token := sampleProfile(app.StateLocked).ID
	for _, s := range samples() {
		var buf bytes.Buffer
		if err := s.page.Render(t.Context(), &buf); err != nil {
			t.Fatal(err)
		}
		own := s.name == "profile-locked" || s.name == "profile-stranded" || s.name == "profile-asking" ||
			s.name == "profile-settings" || s.name == "late-profile-references"
		if got := strings.Contains(buf.String(), token); got != own {
			t.Errorf("%s: shows the id: %v", s.name, got)
		}
		doc, err := goquery.NewDocumentFromReader(&buf)
		if err != nil {
			t.Fatal(err)
		}
		doc.Find("*").Each(func(_ int, e *goquery.Selection) {
			for _, a := range e.Nodes[0].Attr {
				if strings.Contains(a.Val, token) {
					t.Errorf("%s: the id stands in the attribute %s", s.name, a.Key)
				}
			}
		})
	}
}

func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	p := profilePage(app.StateUnlocked)
	evil := `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	p.Profile.Description, p.Keys[0].Key.Description, p.Hosts[0].Reason, p.NewHost = evil, evil, evil, evil
	x := executionPage(4)
	x.Script, x.Output.Stdout, x.Execution.Error, x.Execution.Profile = "</pre>"+evil, "</pre>"+evil, evil, evil
	var buf bytes.Buffer
	if err := profileview.Profile(p).Render(t.Context(), &buf); err != nil {
		t.Fatal(err)
	}
	if err := executionview.Execution(x).Render(t.Context(), &buf); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(buf.String(), "<img") || strings.Contains(buf.String(), "<script>alert") {
		t.Error("an agent's text became markup")
	}
}

// TestGrantsAreEscaped on the lock's page, for plain keys.
func TestGrantsAreEscaped(t *testing.T) {
	t.Parallel()
	plain := app.Key{Name: "B", CredentialID: "B", Credential: "B", CredentialMode: app.ModePlain, ValueExists: true}
	text, err := document(t, profileview.Lock(profileview.LockPage{
		Shell: shell("Lock", layout.SectionProfiles), Profile: sampleProfile(app.StateUnlocked),
		Granted: []profiles.KeyGrant{{Key: plain, Names: "<db>.example"}}, Allowed: []app.Host{host("{B}:1521")},
	})).Html()
	if err != nil || !strings.Contains(text, "&lt;db&gt;.example") || strings.Contains(text, "<db>") {
		t.Error("the value is not escaped, or not there", err)
	}
}

func TestLedger(t *testing.T) {
	t.Parallel()
	p := executionPage(3)
	p.Network = append(p.Network,
		app.Connection{Host: "nobody.example", Port: 443, Verdict: app.VerdictDenied, Rule: "not on the list"})
	var buf bytes.Buffer
	if err := executionview.Execution(p).Render(t.Context(), &buf); err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(&buf)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	doc.Find(".ledger tbody tr").Each(func(_ int, row *goquery.Selection) {
		var cells []string
		row.Find("th, td").Each(func(_ int,
			cell *goquery.Selection) {
			cells = append(cells, strings.Fields(cell.Text())...)
		})
		line := strings.Join(cells, " ")
		if row.HasClass("refused") {
			line = "! " + line
		}
		row.Find("a").Each(func(_ int, a *goquery.Selection) { line += " → " + a.AttrOr("href", "") })
		got = append(got, line)
	})
	asked := " → " + p.ProfileURL + "#requests"
	want := []string{
		"simphony.example.com:443 GET /v1/checks?from=2026-10-01&to=2026-10-31&api_key=[SEALED:SIMPHONY_API_KEY] " +
			"Sealed SIMPHONY_API_KEY Allowed simphony.example.com 200 4 1.8 KiB 47 KiB 412 ms → #line-4",
		"simphony.example.com:443 POST /v1/outlets/" + strings.Repeat("very-long-", 12) +
			"name Sealed SIMPHONY_API_KEY, SIMPHONY_TENANT Allowed simphony.example.com 404 5 912 B 230 B 38 ms → " +
			"#line-5",
		"oracle.corp.example.com:1521 Allowed oracle.corp.example.com:1521 3.9 KiB 9.0 MiB 3.4 s",
		"! api.exchange.example:443 Denied 3 times not on the list Decide on the profile's page 6" + asked +
			" → #line-6",
		"! rates.example.org:443 Denied not on the list Allowed since, for later executions. 6 → #line-6",
		"! telemetry.example.net Denied not on the list Decide on the profile's page" + asked,
		"! rates.example.org:443 Denied private address",
		"simphony.example.com:443 Failed certificate expired 4 0 B 0 B 0 ms → #line-4",
		"! nobody.example:443 Denied not on the list",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(strings.Fields(doc.Find(".verdict dl").Text()), " "); !strings.Contains(got,
		"Injected ORACLE_PASSWORDSealed SIMPHONY_API_KEY, SIMPHONY_TENANT") {
		t.Errorf("the verdict says %q", got)
	}
}

// TestTimeLimitOfARun: the page names the limit before the start, then its use.
func TestTimeLimitOfARun(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"execution-queued": "Time limit1 min", "execution-completed": "Ran840 ms of 1 min",
	} {
		text := strings.Join(strings.Fields(rendered(t, name).Find(".verdict dl").Text()), " ")
		if !strings.Contains(text, want) {
			t.Errorf("%s says %q, want %q", name, text, want)
		}
	}
}

// TestOnlyGrantsAreNew: the hosts' closing sentence grants nothing.
func TestOnlyGrantsAreNew(t *testing.T) {
	t.Parallel()
	fresh := rendered(t, "hostile-hosts").Find(".sentences li:has(.fresh)")
	if text := fresh.Text(); fresh.Length() != 6 || strings.Contains(text, "no other hosts") {
		t.Errorf("%d are new: %s", fresh.Length(), text)
	}
}

// TestListsTell until when, where to and how often; numbers are grouped and labels copyable.
func TestListsTell(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]map[string]string{
		"profiles": {"tbody .sub": "ends in 3 days", "#profiles .sub": "ended 1 day ago"},
		"credentials": {"tbody": "1,841 executions", "tbody .sub": "last 5 minutes ago",
			"#c-SIMPHONY_API_KEY": "simphony.example.com and 1 more"},
		"settings-data": {"#retention": "newest 100,000 executions",
			"#retention dd": "3.0 GiB, 212 MiB of it free"},
		"execution-completed": {"#redactions tbody": "value of THEIR_TOKEN, which this script was not given"},
		"audit":               {"#archived [data-label=entries]": "41,208", "#archived .copyable": "3f9ac01b77d2e844"},
	} {
		doc := rendered(t, name)
		for selector, text := range want {
			if got := strings.Join(strings.Fields(doc.Find(selector).Text()), " "); !strings.Contains(got, text) {
				t.Errorf("%s: %s does not say %q, but %q", name, selector, text, got)
			}
		}
	}
}

func TestChartsHaveTitles(t *testing.T) {
	doc := rendered(t, "stats")
	var titles []string
	doc.Find("figure.chart").Each(func(_ int, chart *goquery.Selection) {
		titles = append(titles, chart.Parent().ChildrenFiltered("h2").Text())
	})
	if diff := cmp.Diff([]string{"Executions by how they ended"}, titles); diff != "" {
		t.Error(diff)
	}
}

func TestABackendThatIsBeingCheckedIsSaidToBe(t *testing.T) {
	t.Parallel()
	page := rendered(t, "sandbox-checking")
	text := page.Find("#backend-landlock").Text()
	if !strings.Contains(text, "Being checked") || strings.Contains(text, "not tried") ||
		page.Find(".state.person").Length() > 0 {
		t.Error(text)
	}
}

// rendered is a sample's page.
func rendered(t *testing.T, name string) *goquery.Document {
	t.Helper()
	for _, s := range samples() {
		if s.name != name {
			continue
		}
		return document(t, s.page)
	}
	t.Fatalf("there is no sample %s", name)
	return nil
}

// document parses a page as a browser does.
func document(t *testing.T, page templ.Component) *goquery.Document {
	t.Helper()
	var buf bytes.Buffer
	if err := page.Render(t.Context(), &buf); err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// The page names actor and subject with a link.
func TestAuditNamesSubjectAndActor(t *testing.T) {
	t.Parallel()
	page := rendered(t, "audit")
	text := strings.Join(strings.Fields(page.Find("#events").Text()), " ")
	for _, want := range []string{
		"Profile locked Locked with 3 keys and 2 hosts.",
		"Hosts requested Asked for 2 hosts.", "Monthly revenue report from Oracle", "Ada Lovelace",
		"Agent of “Monthly revenue report from Oracle” at 192.168.1.40", "Somebody at 192.168.1.40",
		"Execution cancelled Cancelled while running.", "Deleted profile z9y8x7w6",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	if rows := page.Find("#events > table > tbody > tr").Length(); rows != 9 {
		t.Errorf("%d rows, want 9", rows)
	}
	if href := page.Find("#events tbody a").First().AttrOr("href", ""); href != "/ui/profiles/h7v2k9q4m8x1" {
		t.Errorf("the first subject leads to %q", href)
	}
}

func TestAuditRowsAreLow(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	for _, width := range []int64{1280, 1600} {
		b.Size(width, 844)
		for page, most := range map[string]string{"audit": "84", "audit-lengthy": "120"} {
			b.Open("/" + page)
			wrong := b.Text(`[...document.querySelectorAll(".events tbody tr")].filter((row) =>
				row.offsetHeight > ` + most + ` || row.cells[3].offsetWidth < 130).map((row) => row.offsetHeight + " px high, " +
				row.cells[3].offsetWidth + " px for who: " + row.innerText).join("; ")`)
			if wrong != "" {
				t.Errorf("%s at %d px: %s", page, width, wrong)
			}
		}
	}
}

// The short id distinguishes profiles with equal or no descriptions. Unusable ones are marked.
func TestExportTellsProfilesApart(t *testing.T) {
	t.Parallel()
	s := shell(settingsview.MoveTitle, layout.SectionSettings)
	one := func(handle string) app.Profile { return app.Profile{Handle: handle, Description: "Monthly report"} }
	revoked, expired := one("cccccccccccc"), one("dddddddddddd")
	revoked.Revoked, expired.ExpiresAt = true, s.Now.Add(-time.Hour)
	var page bytes.Buffer
	err := settingsview.Move(settingsview.MovePage{Shell: s,
		Profiles: []app.Profile{one("aaaaaaaaaaaa"), one("bbbbbbbbbbbb"), revoked, expired}}).Render(t.Context(), &page)
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(page.String(), `class="checkboxes export-profiles"`)
	list, _, _ = strings.Cut(list, "</fieldset>")
	labels := strings.SplitAfter(list, "</label>")
	for i, want := range []string{"aaaaaaaa<", "bbbbbbbb<", "cccccccc<", "dddddddd<"} {
		state := map[int]string{2: format.State(app.StateRevoked), 3: format.State(app.StateExpired)}[i]
		if !strings.Contains(labels[i], want) || !strings.Contains(labels[i], "Monthly report") ||
			strings.Contains(labels[i], `class="state`) != (state != "") || !strings.Contains(labels[i], state) {
			t.Errorf("%s", labels[i])
		}
	}
}
