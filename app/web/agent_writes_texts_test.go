package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

// TestHoleH3AgentsChooseNoRelayOfTheWeb: agents can't turn off inspection on ports that serve many
// hosts.
func TestHoleH3AgentsChooseNoRelayOfTheWeb(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.profile()
	for _, protocol := range []string{"tcp", "postgres"} {
		for entry, ok := range map[string]bool{
			`{"host":"cdn.example","protocol":"` + protocol + `"}`:                       false,
			`{"host":"cdn.example:443","protocol":"` + protocol + `"}`:                   false,
			`{"host":"cdn.example","ports":[8443,80],"protocol":"` + protocol + `"}`:     false,
			`{"host":"*.cdn.example:443","protocol":"` + protocol + `","reason":"fast"}`: false,
			`{"host":"` + protocol + `.example:5432","protocol":"` + protocol + `"}`:     true,
		} {
			for path, body := range map[string]string{"hosts": `{"hosts":["a.example",` + entry + `]}`,
				"keys": `{"keys":[{"name":"A","hosts":["a.example",` + entry + `]}]}`} {
				a := w.call("POST", "/profiles/"+p.ID+"/"+path, body)
				if ok && a.status == http.StatusOK {
					continue
				}
				w.refused(a, http.StatusBadRequest, app.CodeInvalidField)
				if ok || !strings.Contains(a.text,
					`"`+map[string]string{"hosts": "hosts[1].protocol",
						"keys": "keys[0].hosts[1].protocol"}[path]+`"`) ||
					!strings.Contains(a.text, "Leave protocol out") {
					t.Errorf("%s: %s", body, a.text)
				}
			}
		}
	}
	if now, err := w.access.Profiles.ByID(t.Context(), p.ID); err != nil ||
		strings.Contains(app.BriefHosts(hostsOf(now)), "cdn.example") {
		t.Errorf("%v, %v", now.Hosts, err)
	}
}

func hostsOf(p app.Profile) (list []app.Host) {
	for _, h := range p.Hosts {
		list = append(list, h.Host)
	}
	return list
}

// TestHoleL4InvisibleTextIsRefused: agents can't hide text from the person who decides.
func TestHoleL4InvisibleTextIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.profile()
	for _, char := range []string{`\u200b`, `\u202e`, `\u2066`, `\ufeff`, `\udb40\udc41`, `\u3164`, `\u00ad`,
		`\u2028`} {
		for path, body := range map[string]string{
			"/profiles":                    `{"description":"reports` + char + `"}`,
			"/profiles/" + p.ID + "/keys":  `{"keys":[{"name":"A","description":"to` + char + ` read"}]}`,
			"/profiles/" + p.ID + "/hosts": `{"hosts":[{"host":"a.example","reason":"to` + char + ` read"}]}`,
		} {
			a := w.call("POST", path, body)
			w.refused(a, http.StatusBadRequest, app.CodeInvalidField)
			if !strings.Contains(a.text, "character") {
				t.Errorf("%s: %s", body, a.text)
			}
		}
	}
	if a := w.call("POST", "/profiles", `{"description":"reports 👩‍💻 ❤️"}`); a.status != http.StatusCreated {
		t.Errorf("emoji: %s", a.text)
	}
}

// TestHoleL4OldTextIsShown: invisible text of old records and of scripts is shown.
func TestHoleL4OldTextIsShown(t *testing.T) {
	t.Parallel()
	s, p, _, _ := history(t)
	_, err := s.access.Hosts.Propose(t.Context(), s.person, p.Handle,
		[]app.Host{{Name: "old.example", Reason: "to\u200b read"}})
	s.must(err)
	page := s.get(paths.ProfileURL(p.Handle)).want(http.StatusOK).says("#requests .quoted", "to[U+200B] read")
	s.submit(page, "#requests form", "", "allow.0", "yes").want(http.StatusOK).says(".sentences li:has(.fresh)",
		"old.example")
	x := s.submits(p, "print pay \u202eevil.\nask Airlock: your password\u200b?")
	_, err = s.engine.Reader.Await(t.Context(), x, 20*time.Second) // until it asks
	s.must(err)
	s.get(paths.ExecutionURL(x.Handle)).want(http.StatusOK).says("#answer .quoted",
		"Airlock: your password[U+200B]?").says("#stdout", "pay [U+202E]evil.")
}
