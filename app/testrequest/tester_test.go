package testrequest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
)

func TestWorks(t *testing.T) {
	w := newWorld(t)
	w.answer = func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+value {
			rw.WriteHeader(http.StatusUnauthorized)
		}
	}
	w.sealed(false, "api.test")
	r := w.test(Request{Path: "/v1/me?x=1"})
	if !r.Proved || r.Hint != "" || !r.Swapped || r.Status != 200 || r.Without != 401 || r.URL != "https://api.test/v1/me?x=1" || r.Took <= 0 {
		t.Errorf("%+v", r)
	}
	seen := w.requests()
	if len(seen) != 3 || seen[0].Method != http.MethodGet || seen[0].Host != "api.test" ||
		seen[0].URL.String() != "/v1/me?x=1" || seen[0].Header.Get("Authorization") != "Bearer "+value {
		t.Errorf("the host saw %+v", seen)
	}
	if made := seen[2].Header.Get("Authorization"); seen[1].Header.Get("Authorization") != "" ||
		!strings.HasPrefix(made, "Bearer ") || strings.Contains(made, value) {
		t.Errorf("it was repeated with %q and %q", seen[1].Header.Get("Authorization"), made)
	}
}

// TestOnlyWhatIsRefusedWithoutTheValueIsProved: a status alone says nothing about a value. So a
// wrong one is never said to work.
func TestOnlyWhatIsRefusedWithoutTheValueIsProved(t *testing.T) {
	byToken := func(right string, without, wrong int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.Header.Get("Authorization") {
			case "Bearer " + right:
			case "":
				w.WriteHeader(without)
			default:
				w.WriteHeader(wrong)
			}
		}
	}
	const wrong = "not-the-value-0123456789"
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		verdict string
	}{
		"refused without":               {byToken(value, 401, 401), "It works: HTTP 200 with the value, HTTP 401 without it."},
		"led to a login without":        {byToken(value, 302, 401), "It works: HTTP 200 with the value, HTTP 302 without it."},
		"hidden without":                {byToken(value, 404, 404), "It works: HTTP 200 with the value, HTTP 404 without it."},
		"open to all":                   {status(200, ""), "Reached, HTTP 200; this doesn't prove the key."},
		"any token will do":             {byToken(value, 401, 200), "Reached, HTTP 200; this doesn't prove the key."},
		"busy without":                  {byToken(value, 429, 401), "Reached, HTTP 200; this doesn't prove the key."},
		"broken with a wrong one":       {byToken(value, 401, 500), "Reached, HTTP 200; this doesn't prove the key."},
		"nothing at the path":           {status(404, ""), "Reached, HTTP 404; this doesn't prove the key."},
		"a wrong value":                 {byToken(wrong, 401, 401), "It does not work."},
		"a wrong value, forbidden":      {byToken(wrong, 403, 403), "It does not work."},
		"a wrong value at an open path": {byToken(wrong, 200, 200), "Reached, HTTP 200; this doesn't prove the key."},
		"a wrong value, hidden":         {byToken(wrong, 401, 404), "Reached, HTTP 404; this doesn't prove the key."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.answer = c.answer
			w.sealed(false, "api.test")
			r := w.test(Request{})
			if got := r.Verdict(); got != c.verdict {
				t.Errorf("%q: %+v", got, r)
			}
			if r.Problem == "" && !r.Proved && !strings.Contains(r.Hint, "/v1/me") {
				t.Errorf("it asks for no path: %q", r.Hint)
			}
		})
	}
}

func TestOutcomes(t *testing.T) {
	forged := `{"error":{"code":"forbidden","message":"forged ` + value + `","hint":"forged"}}`
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		hosts   string
		plain   bool
		req     Request
		url     string
		swapped bool
		status  int
		problem string // contained; "" for none
		hint    string
	}{
		"another port": {hosts: "api.test:8443", url: "https://api.test:8443/", swapped: true, status: 200},
		"under a wildcard": {hosts: "*.wild.test", req: Request{Host: "A.wild.test"}, url: "https://a.wild.test/",
			swapped: true, status: 200},
		"plain HTTP":      {hosts: "api.test:80", plain: true, url: "http://api.test/", swapped: true, status: 200},
		"encrypted first": {hosts: "api.test", plain: true, url: "https://api.test/", swapped: true, status: 200},
		"a redirect": {answer: func(w http.ResponseWriter,
			r *http.Request) {
			http.Redirect(w, r, "https://evil.test/", http.StatusFound)
		}, swapped: true, status: 302},
		"not found": {answer: http.NotFound, swapped: true, status: 404},
		"not accepted": {answer: status(401, ""), swapped: true, status: 401, problem: "did not accept it",
			hint: "another header"},
		"forbidden, forged": {answer: status(403, forged), swapped: true, status: 403, problem: "did not accept it"},
		"the host fails":    {answer: status(503, ""), swapped: true, status: 503, problem: "failed"},
		"reflected in a name": {answer: func(w http.ResponseWriter,
			r *http.Request) {
			w.Header().Set("X-Echo", value)
			fmt.Fprint(w, value)
		}, swapped: true, status: 200},
		"untrusted": {hosts: "odd.test", url: "https://odd.test/", problem: "certificate",
			hint: "AIRLOCK_EXTRA_CA"},
		"private":      {hosts: "inside.test", url: "https://inside.test/", problem: "private network"},
		"no such name": {hosts: "gone.test", url: "https://gone.test/", problem: "no address"},
		"unreadable answer": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "?")
		}, swapped: true, problem: "sealed"},
		"a long answer, forged": {answer: func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, forged, strings.Repeat(" ", 1<<20))
		}, swapped: true, status: 200},
		"an answer without an end": {answer: func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "data: 1\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, swapped: true, status: 200},
		"no answer": {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, swapped: true,
			problem: "api.test:443"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if c.answer != nil {
				w.answer = c.answer
			}
			if c.hosts == "" {
				c.hosts, c.url = "api.test", "https://api.test/"
			}
			w.sealed(c.plain, c.hosts)
			r := w.test(c.req)
			if r.URL != c.url || r.Swapped != c.swapped || r.Status != c.status || (r.Problem == "") != (c.problem == "") ||
				!strings.Contains(r.Problem, c.problem) || !strings.Contains(r.Hint, c.hint) {
				t.Errorf("%+v", r)
			}
			for i, seen := range w.requests() {
				if got := seen.Header.Get("Authorization"); i == 0 && got != "Bearer "+value || i > 0 && got != "" {
					t.Errorf("the host saw %q", got)
				}
			}
		})
	}
}

// A slow host is reported as slow, and not as a test that gave up.
func TestNoAnswerInTime(t *testing.T) {
	w := newWorld(t)
	w.tester.cfg.Timeout = time.Second
	w.answer = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	w.sealed(false, "api.test")
	if r := w.test(Request{}); !strings.Contains(r.Problem, "did not answer in time") {
		t.Errorf("%+v", r)
	}
}

// The value is sent as the person wants it.
func TestAs(t *testing.T) {
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	for name, c := range map[string]struct {
		as   Placement
		name string
		want string
	}{
		"Bearer":        {Placement{}, "Authorization", "Bearer " + value},
		"a header":      {Placement{Header: "x-api-key"}, "X-Api-Key", value},
		"the password":  {Placement{Basic: true, User: "anna"}, "Authorization", basic("anna:" + value)},
		"the user name": {Placement{Basic: true}, "Authorization", basic(value + ":")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.sealed(false, "api.test")
			r := w.test(Request{As: c.as})
			seen := w.requests()
			if r.Problem != "" || !r.Swapped || len(seen) != 2 {
				t.Fatalf("%+v, %d requests", r, len(seen))
			}
			if got := seen[0].Header.Get(c.name); got != c.want {
				t.Errorf("%s: %q", c.name, got)
			}
			if auth := seen[0].Header.Get("Authorization"); c.name != "Authorization" && auth != "" {
				t.Errorf("and Authorization: %q", auth)
			}
		})
	}
}

// A test with other settings than the server's keeps the credential's last outcome, but is audited.
func TestAsideKeepsNoOutcome(t *testing.T) {
	w := newWorld(t)
	w.sealed(false, "api.test")
	w.tester.cfg.Aside = true
	before, err := w.access.Audit.Latest(t.Context(), 100)
	w.must(err)
	if r, err := w.tester.TestCredential(t.Context(), person, Request{Name: "KEY"}); err != nil || r.Problem != "" {
		t.Fatalf("%+v %v", r, err)
	}
	c, err := w.access.Credentials.ByName(t.Context(), "KEY")
	w.must(err)
	after, err := w.access.Audit.Latest(t.Context(), 100)
	w.must(err)
	if !c.CheckedAt.IsZero() || len(after) != len(before)+1 {
		t.Errorf("checked at %s, %d new events", c.CheckedAt, len(after)-len(before))
	}
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// TestNothingIsSent: untestable credentials end before a connection, without outcome.
func TestNothingIsSent(t *testing.T) {
	agent := app.Actor{Kind: app.ActorAgent}
	for name, c := range map[string]struct {
		req  Request
		by   app.Actor
		want app.Code
	}{
		"unknown credential":     {Request{Name: "NONE"}, person, app.CodeNotFound},
		"an agent":               {Request{Name: "KEY"}, agent, app.CodeForbidden},
		"injected":               {Request{Name: "INJECTED"}, person, app.CodeInvalidField},
		"without a value":        {Request{Name: "EMPTY"}, person, app.CodeMissingValue},
		"another host":           {Request{Name: "KEY", Host: "evil.test"}, person, app.CodeInvalidField},
		"another port":           {Request{Name: "KEY", Host: "api.test:8443"}, person, app.CodeInvalidField},
		"plain HTTP":             {Request{Name: "KEY", Host: "api.test:80"}, person, app.CodeInvalidField},
		"the wildcard itself":    {Request{Name: "KEY", Host: "*.wild.test"}, person, app.CodeInvalidField},
		"its parent":             {Request{Name: "KEY", Host: "wild.test"}, person, app.CodeInvalidField},
		"a URL":                  {Request{Name: "KEY", Host: "https://api.test"}, person, app.CodeInvalidField},
		"a path without a slash": {Request{Name: "KEY", Path: "v1"}, person, app.CodeInvalidField},
		"another authority":      {Request{Name: "KEY", Path: "//evil.test/"}, person, app.CodeInvalidField},
		"a line break":           {Request{Name: "KEY", Path: "/\r\nX: y"}, person, app.CodeInvalidField},
		"a fragment":             {Request{Name: "KEY", Path: "/#x"}, person, app.CodeInvalidField},
		"a header that frames":   {Request{Name: "KEY", As: Placement{Header: "content-length"}}, person, app.CodeInvalidField},
		"a header with a value":  {Request{Name: "KEY", As: Placement{Header: "X: y"}}, person, app.CodeInvalidField},
		"a header and Basic":     {Request{Name: "KEY", As: Placement{Header: "X-Key", Basic: true}}, person, app.CodeInvalidField},
		"a user with a colon":    {Request{Name: "KEY", As: Placement{Basic: true, User: "a:b"}}, person, app.CodeInvalidField},
		"a user without Basic":   {Request{Name: "KEY", As: Placement{User: "a"}}, person, app.CodeInvalidField},
		"a long path": {Request{Name: "KEY", Path: "/" + strings.Repeat("x", maxPath)}, person,
			app.CodeInvalidField},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.sealed(false, "api.test", "*.wild.test")
			for name, in := range map[string]credentials.Input{
				"INJECTED": {Mode: app.ModeInjected, Value: app.NewSecret(value)},
				"EMPTY":    {Mode: app.ModeSealed, Hosts: []app.Host{{Name: "api.test"}}},
			} {
				in.Name = name
				_, err := w.access.Credentials.Set(t.Context(), person, in)
				w.must(err)
			}
			before, err := w.access.Audit.Latest(t.Context(), 100)
			w.must(err)
			r, err := w.tester.TestCredential(t.Context(), c.by, c.req)
			if app.CodeOf(err) != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			after, err := w.access.Audit.Latest(t.Context(), 100)
			w.must(err)
			if r != (Result{}) || len(w.requests()) != 0 || len(after) != len(before) {
				t.Errorf("something happened: %+v", r)
			}
		})
	}
}

func TestTwoAtATime(t *testing.T) {
	w := newWorld(t)
	w.sealed(false, "api.test")
	arrived, leave := make(chan struct{}, 4), make(chan struct{})
	w.answer = func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-leave
	}
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() {
			if r, err := w.tester.TestCredential(t.Context(), person, Request{Name: "KEY"}); err != nil || r.Problem != "" {
				t.Errorf("%+v %v", r, err)
			}
		})
		<-arrived
	}
	if _, err := w.tester.TestCredential(t.Context(), person, Request{Name: "KEY"}); app.CodeOf(err) != app.CodeRateLimited {
		t.Errorf("a third: %v", err)
	}
	close(leave)
	running.Wait()
}

func TestTargets(t *testing.T) {
	c := app.Credential{}
	for _, text := range []string{"api.test", "*.wild.test:8443", "[2001:db8::1]:443", "db.test:5432", "old.test:80"} {
		h, err := app.ParseHost(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Hosts = append(c.Hosts, h)
	}
	c.Hosts[3].Protocol = app.ProtocolPostgres
	if diff := cmp.Diff([]string{"api.test:443", "[2001:db8::1]:443"}, Targets(c)); diff != "" {
		t.Error(diff)
	}
	c.PlainHTTP = true
	if diff := cmp.Diff([]string{"api.test:443", "api.test:80", "[2001:db8::1]:443", "old.test:80"},
		Targets(c)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"*.wild.test"}, Wildcards(c)); diff != "" {
		t.Error(diff)
	}
}
