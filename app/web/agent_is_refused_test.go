package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
)

// TestTooLargeAnAnswerNamesItsField: a response and an error have different limits.
func TestTooLargeAnAnswerNamesItsField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.execution(w.lockedProfile())
	for _, c := range []struct {
		field, most string
		size        int
	}{{"error", "at most 65536", app.MaxFailure + 1}, {"error", "at most 65536", app.MaxResponse + 1},
		{"response", "at most 1048576", app.MaxResponse + 1}} {
		a := w.call("POST", "/executions/"+x+"/respond", `{"`+c.field+`":"`+strings.Repeat("x", c.size)+`"}`)
		w.refused(a, http.StatusRequestEntityTooLarge, app.CodeTooLarge)
		if detail, _ := a.json["error"].(map[string]any); detail["field"] != c.field ||
			!strings.Contains(fmt.Sprint(detail["message"]), c.most) {
			t.Errorf("%d bytes of %s: %s", c.size, c.field, a.text)
		}
	}
	a := w.call("POST", "/executions/"+x+"/respond", `{"error":"`+strings.Repeat("x", app.MaxFailure)+`"}`)
	w.refused(a, http.StatusConflict, app.CodeNotWaiting) // short enough, but nobody asked
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, open := w.lockedProfile(), w.profile()
	x := w.execution(p)
	execute := func(fields string) string { return `{"profile_id":"` + p.ID + `",` + fields + `}` }
	long := strings.Repeat("#", app.MaxScript+1)
	cases := []struct {
		name, method, path, body string
		status                   int
		code                     app.Code
	}{
		{"no body", "POST", "/execute", "", 400, app.CodeInvalidJSON},
		{"blank body", "POST", "/execute", " \n ", 400, app.CodeInvalidJSON},
		{"malformed", "POST", "/execute", `{"script":`, 400, app.CodeInvalidJSON},
		{"array", "POST", "/execute", `[]`, 400, app.CodeInvalidJSON},
		{"two objects", "POST", "/execute", execute(`"script":"1"`) + "{}", 400, app.CodeInvalidJSON},
		{"oversized", "POST", "/execute", execute(`"script":"` + strings.Repeat("#", app.MaxBody) + `"`), 413,
			app.CodeTooLarge},
		{"script over 1 MiB", "POST", "/execute", execute(`"script":"` + long + `"`), 413, app.CodeTooLarge},
		{"inputs over 1 MiB", "POST", "/execute", execute(`"script":"1","inputs":"` + long + `"`), 413,
			app.CodeTooLarge},
		{"unknown field", "POST", "/execute", execute(`"script":"1","memory":"8GiB"`), 400, app.CodeUnknownField},
		{"wrong type", "POST", "/execute", execute(`"script":1`), 400, app.CodeInvalidField},
		{"no script", "POST", "/execute", execute(`"timeout":1`), 400, app.CodeInvalidField},
		{"empty script", "POST", "/execute", execute(`"script":""`), 400, app.CodeInvalidField},
		{"NUL in script", "POST", "/execute", execute(`"script":"1\u0000"`), 400, app.CodeInvalidField},
		{"raw NUL", "POST", "/execute", execute("\"script\":\"1\x00\""), 400, app.CodeInvalidJSON},
		{"invalid UTF-8", "POST", "/execute", execute("\"script\":\"\xff\""), 400, app.CodeInvalidJSON},
		{"timeout 0", "POST", "/execute", execute(`"script":"1","timeout":0`), 400, app.CodeInvalidField},
		{"timeout -1", "POST", "/execute", execute(`"script":"1","timeout":-1`), 400, app.CodeInvalidField},
		{"timeout 1e12", "POST", "/execute", execute(`"script":"1","timeout":1e12`), 400, app.CodeInvalidField},
		{"timeout over the cap", "POST", "/execute", execute(`"script":"1","timeout":900.5`), 400,
			app.CodeInvalidField},
		{"timeout x", "POST", "/execute", execute(`"script":"1","timeout":"x"`), 400, app.CodeInvalidField},
		{"timeout true", "POST", "/execute", execute(`"script":"1","timeout":true`), 400, app.CodeInvalidField},
		{"wait x", "POST", "/execute?wait=x", execute(`"script":"1"`), 400, app.CodeInvalidField},
		{"wait 51", "GET", "/executions/" + x + "?wait=51", "", 400, app.CodeInvalidField},
		{"wait -1", "GET", "/executions/" + x + "?wait=-1", "", 400, app.CodeInvalidField},
		{"wait NaN", "GET", "/executions/" + x + "?wait=NaN", "", 400, app.CodeInvalidField},
		{"unknown query", "GET", "/executions/" + x + "?wiat=5", "", 400, app.CodeUnknownField},
		{"no profile", "POST", "/execute", `{"script":"1"}`, 401, app.CodeUnauthorized},
		{"unknown profile", "POST", "/execute", `{"profile_id":"` + app.NewProfileID() + `","script":"1"}`, 401,
			app.CodeUnauthorized},
		{"odd profile", "POST", "/execute", `{"profile_id":"x' OR 1=1 --","script":"1"}`, 401, app.CodeUnauthorized},
		{"handle for id", "POST", "/execute", `{"profile_id":"` + p.Handle + `","script":"1"}`, 401,
			app.CodeUnauthorized},
		{"unlocked profile", "POST", "/execute", `{"profile_id":"` + open.ID + `","script":"1"}`, 409,
			app.CodeProfileUnlocked},
		{"unknown execution", "GET", "/executions/" + app.NewExecutionID(), "", 404, app.CodeNotFound},
		{"odd execution", "GET", "/executions/..%2f..%2fetc", "", 404, app.CodeNotFound},
		{"unknown profile path", "GET", "/profiles/" + app.NewProfileID(), "", 404, app.CodeNotFound},
		{"handle as path", "GET", "/profiles/" + p.Handle, "", 404, app.CodeNotFound},
		{"self without bearer", "GET", "/profiles/self", "", 401, app.CodeUnauthorized},
		{"list without bearer", "GET", "/executions", "", 401, app.CodeUnauthorized},
		{"keys when locked", "POST", "/profiles/" + p.ID + "/keys", `{"keys":[{"name":"B"}]}`, 409,
			app.CodeProfileLocked},
		{"remove key when locked", "DELETE", "/profiles/" + p.ID + "/keys/API_KEY", "", 409, app.CodeProfileLocked},
		{"file named twice", "POST", "/execute", execute(`"script":"1","files":{"a":"file_1","a":"file_2"}`), 400,
			app.CodeInvalidJSON},
		{"file without id", "POST", "/execute", execute(`"script":"1","files":{"a":null}`), 400, app.CodeInvalidField},
		{"files by number", "POST", "/executions/" + x + "/rerun", `{"files":{"a.csv":1}}`, 400, app.CodeInvalidField},
		{"no keys", "POST", "/profiles/" + open.ID + "/keys", `{"keys":[]}`, 400, app.CodeInvalidField},
		{"bad key name", "POST", "/profiles/" + open.ID + "/keys", `{"keys":[{"name":"a b"}]}`, 400,
			app.CodeInvalidField},
		{"bad key mode", "POST", "/profiles/" + open.ID + "/keys", `{"keys":[{"name":"A","mode":"raw"}]}`, 400,
			app.CodeInvalidField},
		{"key twice", "POST", "/profiles/" + open.ID + "/keys", `{"keys":[{"name":"A"},{"name":"A"}]}`, 400,
			app.CodeInvalidField},
		{"port twice", "POST", "/profiles/" + open.ID + "/hosts", `{"hosts":[{"host":"a.example:1","ports":[2]}]}`, 400,
			app.CodeInvalidField},
		{"host on this machine", "POST", "/profiles/" + open.ID + "/hosts", `{"hosts":["a.example","localhost"]}`, 400,
			app.CodeInvalidField},
		{"list before an id", "GET", "/executions?before=" + x, "", 400, app.CodeInvalidField},
		{"list before a URL", "GET", "/executions?before=http://a.example/executions?before=1", "", 400,
			app.CodeInvalidField},
		{"model context in a browser", "GET", "/mcp", "", 405, app.CodeMethodNotAllowed},
		{"key with value", "POST", "/profiles/" + open.ID + "/keys", `{"keys":[{"name":"A","value":"x"}]}`, 400,
			app.CodeUnknownField},
		{"remove unknown key", "DELETE", "/profiles/" + open.ID + "/keys/NOPE", "", 404, app.CodeNotFound},
		{"host with scheme", "POST", "/profiles/" + open.ID + "/hosts", `{"hosts":["https://a.example/"]}`, 400,
			app.CodeInvalidField},
		{"private host", "POST", "/profiles/" + open.ID + "/hosts", `{"hosts":[{"host":"a.example","private":true}]}`,
			400,
			app.CodeUnknownField},
		{"bad port", "POST", "/profiles/" + open.ID + "/hosts", `{"hosts":[{"host":"a.example","ports":[70000]}]}`, 400,
			app.CodeInvalidField},
		{"bad protocol", "POST", "/profiles/" + open.ID + "/hosts",
			`{"hosts":[{"host":"a.example","protocol":"gopher"}]}`,
			400, app.CodeInvalidField},
		{"host of no key", "POST", "/profiles/" + open.ID + "/hosts", `{"hosts":["a.example","{NOKEY}:443"]}`, 400,
			app.CodeInvalidField},
		{"host of no key when locked", "POST", "/profiles/" + p.ID + "/hosts", `{"hosts":["{NOKEY}:443"]}`, 400,
			app.CodeInvalidField},
		{"long description", "POST", "/profiles", `{"description":"` + strings.Repeat("x", 1001) + `"}`, 400,
			app.CodeInvalidField},
		{"control character", "POST", "/profiles", `{"description":"a\u001bb"}`, 400, app.CodeInvalidField},
		{"respond nothing", "POST", "/executions/" + x + "/respond", `{}`, 400, app.CodeInvalidField},
		{"respond both", "POST", "/executions/" + x + "/respond", `{"response":"a","error":"b"}`, 400,
			app.CodeInvalidField},
		{"respond to a running one", "POST", "/executions/" + x + "/respond", `{"response":"a"}`, 409,
			app.CodeNotWaiting},
		{"respond too much", "POST", "/executions/" + x + "/respond", `{"response":"` + long + `"}`, 413,
			app.CodeTooLarge},
		{"cancel with a field", "POST", "/executions/" + x + "/cancel", `{"force":true}`, 400, app.CodeUnknownField},
		{"bad limit", "GET", "/executions?limit=101", "", 400, app.CodeInvalidField},
		{"bad status", "GET", "/executions?status=done", "", 400, app.CodeInvalidField},
		{"unknown path", "GET", "/nothing/here", "", 404, app.CodeNotFound},
		{"wrong method", "PUT", "/execute", `{}`, 405, app.CodeMethodNotAllowed},
		{"export", "GET", "/export", "", 404, app.CodeNotFound},
		{"list profiles", "GET", "/profiles", "", 405, app.CodeMethodNotAllowed},
		{"credentials", "GET", "/credentials", "", 404, app.CodeNotFound},
		{"odd method", "BREW", "/execute", "", 405, app.CodeMethodNotAllowed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := *w
			w.t = t
			var headers []string
			if strings.HasPrefix(c.path, "/executions?") {
				headers = append(headers, bearerOf(p))
			}
			w.refused(w.call(c.method, c.path, c.body, headers...), c.status, c.code)
		})
	}
	if a := w.call("GET", "/health", ""); a.status != http.StatusOK || a.json["status"] != "ok" {
		t.Errorf("afterwards /health says %d %s", a.status, a.text)
	}
	if a := w.call("GET", "/executions", "", bearerOf(p)); len(a.json["executions"].([]any)) != 1 {
		t.Errorf("refused requests left executions: %s", a.text)
	}
	for _, id := range []string{p.ID, open.ID, x, plantedSecret} {
		if strings.Contains(w.log.String(), id) {
			t.Errorf("the log holds %s…", id[:8])
		}
	}
}

func TestRefusedReferenceIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.call("POST", "/profiles/"+w.profile().ID+"/hosts", `{"hosts":["a.example",{"host":"{NOKEY}:443"}]}`)
	w.refused(a, 400, app.CodeInvalidField)
	if field := a.json["error"].(map[string]any)["field"]; field != "hosts[1].host" {
		t.Errorf("the field is %v", field)
	}
}

func TestBodiesOfOtherTypesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for kind, status := range map[string]int{"application/json": 201, "application/json; charset=utf-8": 201,
		"application/x-www-form-urlencoded": 201, "text/plain": 415, "multipart/form-data; boundary=x": 415} {
		a := w.call("POST", "/profiles", `{"description":"x"}`, "Content-Type: "+kind)
		if a.status != status {
			t.Errorf("%s: %d, want %d", kind, a.status, status)
		}
		if status == 415 {
			w.refused(a, 415, app.CodeUnsupportedMedia)
		}
	}
	w.refused(w.call("POST", "/profiles", "x", "Content-Encoding: gzip"), 415, app.CodeUnsupportedMedia)
}

func TestForeignProfiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine, theirs := w.lockedProfile(), w.lockedProfile()
	x := w.execution(theirs)
	for _, call := range [][2]string{{"GET", ""}, {"POST", "/respond"}, {"POST", "/cancel"}} {
		body := ""
		if call[1] == "/respond" {
			body = `{"response":"x"}`
		}
		w.refused(w.call(call[0], "/executions/"+x+call[1], body, bearerOf(mine)), 404, app.CodeNotFound)
	}
	if a := w.call("GET", "/executions/"+x, "", bearerOf(theirs)); a.status != 200 {
		t.Errorf("the owner gets %d %s", a.status, a.text)
	}
	if a := w.call("GET", "/executions", "", bearerOf(mine)); a.status != 200 || strings.Contains(a.text, x) {
		t.Errorf("the list holds another's execution: %s", a.text)
	}
	w.refused(w.call("GET", "/profiles/"+theirs.ID, "", bearerOf(mine)), 400, app.CodeInvalidField)
	w.refused(w.call("POST", "/execute", `{"profile_id":"`+theirs.ID+`","script":"1"}`, bearerOf(mine)), 400,
		app.CodeInvalidField)
	w.refused(w.call("GET", "/profiles/self", "", "Authorization: Bearer "+app.NewProfileID()), 401,
		app.CodeUnauthorized)
	w.refused(w.call("GET", "/profiles/self", "", "Authorization: Basic eDp5"), 401, app.CodeUnauthorized)
	if a := w.call("GET", "/skill.md", ""); strings.Contains(a.text, mine.ID) || strings.Contains(a.text, "API_KEY`") ||
		a.status != 200 {
		t.Error("the public skill text tells about profiles")
	}
	if a := w.call("GET", "/skill.md", "", bearerOf(mine)); !strings.Contains(a.text, "`API_KEY`") ||
		strings.Contains(a.text, mine.ID) {
		t.Error("the skill text for a bearer lacks its key, or holds its id")
	}
	// A cookie opens nothing.
	w.refused(w.call("GET", "/executions", "", "Cookie: airlock_session="+mine.ID), 401, app.CodeUnauthorized)
}

func TestRevokedProfileIsShutOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.lockedProfile()
	x := w.execution(p)
	_, err := w.access.Lifecycle.Revoke(t.Context(), person, p.Handle)
	w.must(err)
	w.refused(w.call("POST", "/execute", `{"profile_id":"`+p.ID+`","script":"1"}`), 403, app.CodeProfileRevoked)
	w.refused(w.call("GET", "/executions/"+x, ""), 403, app.CodeProfileRevoked)
	w.refused(w.call("POST", "/executions/"+x+"/respond", `{"response":"x"}`), 403, app.CodeProfileRevoked)
	w.refused(w.call("POST", "/executions/"+x+"/cancel", ""), 403, app.CodeProfileRevoked)
	w.refused(w.call("GET", "/executions", "", bearerOf(p)), 403, app.CodeProfileRevoked)
	w.refused(w.call("POST", "/profiles/"+p.ID+"/keys", `{"keys":[{"name":"B"}]}`), 403, app.CodeProfileRevoked)
	w.refused(w.call("POST", "/profiles/"+p.ID+"/hosts", `{"hosts":["a.example"]}`), 403, app.CodeProfileRevoked)
	if a := w.call("GET", "/profiles/self", "", bearerOf(p)); a.json["revoked"] != true || a.json["state"] != "revoked" {
		t.Errorf("the profile says %s", a.text)
	}
}

func TestExpiredProfileCanBeExtended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.lockedProfile()
	_, err := w.access.Lifecycle.SetExpiry(t.Context(), person, p.Handle, time.Now().Add(50*time.Millisecond))
	w.must(err)
	body := `{"profile_id":"` + p.ID + `","script":"1"}`
	for deadline := time.Now().Add(5 * time.Second); w.call("GET", "/profiles/self", "",
		bearerOf(p)).json["state"] != "expired"; {
		if time.Now().After(deadline) {
			t.Fatal("it never expires")
		}
	}
	w.refused(w.call("POST", "/execute", body), 403, app.CodeProfileExpired)
	_, err = w.access.Lifecycle.SetExpiry(t.Context(), person, p.Handle, time.Now().Add(time.Hour))
	w.must(err)
	if a := w.call("POST", "/execute", body); a.status != 202 {
		t.Errorf("extended, it still gets %d %s", a.status, a.text)
	}
}

func TestQueueAndRatesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config, _ *access.Config, e *engine.Config) { c.ProfilesPerMinute, e.Queue = 2, 1 })
	p := w.lockedProfile()
	var last answer
	for range 5 {
		last = w.call("POST", "/execute", `{"profile_id":"`+p.ID+`","script":"1"}`)
	}
	w.refused(last, 429, app.CodeQueueFull)
	if last.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.profile()
	last = w.call("POST", "/profiles", `{"description":"third"}`)
	w.refused(last, 429, app.CodeRateLimited)
	if last.header.Get("Retry-After") == "" ||
		!strings.Contains(last.text, "then send it again. One profile serves any number of executions.") {
		t.Errorf("no Retry-After, or no advice: %s", last.text)
	}
}

func TestAgentProfilesCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Config, a *access.Config, _ *engine.Config) { a.AgentProfiles = false })
	w.refused(w.call("POST", "/profiles", `{"description":"x"}`), 403, app.CodeProfilesDisabled)
}

func TestOtherSitesCannotUseABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.refused(w.call("POST", "/profiles", `{"description":"x"}`, "Origin: https://evil.example"), 403, app.CodeForbidden)
	w.refused(w.call("POST", "/profiles", `{"description":"x"}`, "Sec-Fetch-Site: cross-site"), 403, app.CodeForbidden)
	if a := w.call("POST", "/profiles", `{"description":"x"}`, "Origin: "+w.server.URL); a.status != 201 {
		t.Errorf("the own page gets %d", a.status)
	}
}

func TestPanicsTellNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.web.handler.(*echo.Echo).GET("/panics", func(echo.Context) error { panic("planted") })
	w.refused(w.call("GET", "/panics", ""), 500, app.CodeInternal)
	if !strings.Contains(w.log.String(), "panic in a handler") {
		t.Error("the panic was not logged")
	}
}

// TestHintsOfTheFirstMistakes: what agents that begin try, and what the answer tells them to do
// instead.
func TestHintsOfTheFirstMistakes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.profile()
	for _, c := range []struct{ method, path, body, field, hint string }{
		{"GET", "/execute", "", "", "It takes POST; GET /skill.md"},
		{"GET", "/profiles", "", "", "It takes POST; "},
		{"GET", "/profiles/" + app.NewProfileID(), "", "", "what POST /profiles returned"},
		{"POST", "/executions/" + app.NewExecutionID() + "/cancel", "", "", "what POST /execute returned"},
		{"POST", "/profiles/" + p.ID + "/keys", `{"keys":[{"name":"A","value":"x"}]}`, "keys[0].value",
			"Only a person sets values"},
		{"POST", "/profiles/" + p.ID + "/hosts", `{"hosts":["a.example","127.0.0.1"]}`, "hosts[1].host",
			"AIRLOCK_LOCAL_SERVICES"},
		{"POST", "/profiles/" + p.ID + "/hosts", `{"hosts":["a.example","93.184.215.14:443"]}`, "hosts[1].host",
			"Use the host's name"},
		{"POST", "/profiles/" + p.ID + "/hosts", `{"hosts":[{"host":"2001:db8::1","ports":[1]}]}`, "hosts[0].host",
			"Use the host's name"},
		{"POST", "/profiles/" + p.ID + "/hosts", `{"hosts":[{"host":"a.example:1","ports":[2]}]}`, "hosts[0].host",
			"Write ports in one place"},
		{"GET", "/mcp", "", "", "GET /skill.md"},
	} {
		a := w.call(c.method, c.path, c.body)
		detail, _ := a.json["error"].(map[string]any)
		if field, _ := detail["field"].(string); field != c.field || !strings.Contains(fmt.Sprint(detail["hint"]), c.hint) {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, a.status, a.text)
		}
	}
	if a := w.call("POST", "/profiles/"+p.ID+"/hosts", `{"hosts":[{"host":"a.example","ports":[1]}]}`); a.status != 200 {
		t.Errorf("ports beside a name: %d %s", a.status, a.text)
	}
}
