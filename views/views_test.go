package views_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views"
)

// TestEveryPage holds what the content security policy and people who don't see or point need, on each page.
func TestEveryPage(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
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
			for selector, most := range map[string]int{"[style], style, script:not([src]), [href^='javascript:']": 0, "h1": 1, "main": 1, "[autofocus]": 2, "title": 1} {
				if n := doc.Find(selector).Length(); n > most {
					t.Errorf("%d elements match %s", n, selector)
				}
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
			if strings.Contains(doc.Text(), "!") && !strings.Contains(doc.Find("pre").Text(), "!") {
				t.Error("somebody shouts")
			}
		})
	}
}

// TestTokensStandOnTheirPageOnly: a profile's id is its agent's token.
func TestTokensStandOnTheirPageOnly(t *testing.T) {
	token := sampleProfile(app.StateLocked).ID
	for _, s := range samples() {
		var buf bytes.Buffer
		if err := s.page.Render(t.Context(), &buf); err != nil {
			t.Fatal(err)
		}
		own := s.name == "profile-locked" || s.name == "profile-asking" || s.name == "profile-revoked"
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
	p := profilePage(app.StateUnlocked)
	evil := `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	p.Profile.Description, p.Keys[0].Key.Description, p.Hosts[0].Reason, p.NewHost = evil, evil, evil, evil
	x := executionPage(4)
	x.Script, x.Stdout, x.Execution.Error, x.Execution.Profile = "</pre>"+evil, "</pre>"+evil, evil, evil
	var buf bytes.Buffer
	if err := views.ProfileView(p).Render(t.Context(), &buf); err != nil {
		t.Fatal(err)
	}
	if err := views.ExecutionView(x).Render(t.Context(), &buf); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(buf.String(), "<img") || strings.Contains(buf.String(), "<script>alert") {
		t.Error("an agent's text became markup")
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "just now", 4 * time.Second: "just now", 5 * time.Second: "5 seconds ago", time.Minute: "1 minute ago", 119 * time.Second: "1 minute ago",
		3 * time.Hour: "3 hours ago", 49 * time.Hour: "2 days ago", 65 * 24 * time.Hour: "2 months ago", 800 * 24 * time.Hour: "2 years ago",
		-90 * time.Minute: "in 1 hour", -2 * time.Second: "just now",
	} {
		if got := views.Ago(now.Add(-d), now); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	if got := views.Ago(time.Time{}, now); got != "never" {
		t.Errorf("zero: %q", got)
	}
}

func TestSpanAndBytes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 ms", 0: "0 ms", 840 * time.Millisecond: "840 ms", 1240 * time.Millisecond: "1.2 s", 2 * time.Second: "2 s", 42 * time.Second: "42 s",
		time.Minute: "1 min", 125 * time.Second: "2 min 5 s",
	} {
		if got := views.Span(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 48 << 20: "48 MiB", 5 << 40: "5.0 TiB", 1 << 50: "1024 TiB"} {
		if got := views.Bytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestGrants(t *testing.T) {
	db := host("db.example.com:5432,5433")
	db.Private = true
	keys := []app.Key{
		{Name: "A", CredentialID: "1", Credential: "A", CredentialMode: app.ModeInjected, ValueExists: true},
		{Name: "B", CredentialID: "2", Credential: "B_PROD", CredentialMode: app.ModePlain, ValueExists: true},
		{Name: "C", CredentialID: "3", Credential: "C", CredentialMode: app.ModeSealed},
		{Name: "D"},
	}
	var got []string
	for _, s := range views.Grants(keys, []app.Host{db, host("*.example.com:443"), host("{B}:1521")}, time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)) {
		got = append(got, s.Text())
	}
	want := []string{
		"Scripts receive A with its real value. Airlock masks it in whatever they print or return.",
		"Scripts receive B from the credential B_PROD as plain text. It is not a secret and may appear in output.",
		"Scripts receive C as a placeholder. The value itself is put in on the way to its hosts. It has no value yet.",
		"D has no credential yet.",
		"They can reach db.example.com on ports 5432 and 5433, also where it leads to a private address in your network.",
		"They can reach *.example.com, every name below it, on port 443.",
		"They can reach the host that B names, on port 1521.",
		"They can reach nothing else.",
		"This ends on 4 March 2026, 05:06 UTC.",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	nothing := views.Grants(nil, nil, time.Time{})
	if len(nothing) != 3 || nothing[0].Text() != "Scripts with this profile receive no credentials." || nothing[1].Text() != "They can reach no host at all." {
		t.Errorf("nothing: %v", nothing)
	}
}
