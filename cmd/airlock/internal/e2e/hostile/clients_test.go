package hostile_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestUnchangedClientsReachAllowedHosts lets real clients reach a web server and PostgreSQL, and
// nothing else.
func TestUnchangedClientsReachAllowedHosts(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"bubblewrap", "landlock"} {
		t.Run(backend, func(t *testing.T) { unchangedClients(t, backend) })
	}
}

func unchangedClients(t *testing.T, backend string) {
	const password = "correct-horse-battery-staple"
	database := vaulttest.StartPostgres(t, password).Address
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %d %s", r.Method, r.URL.Path, len(body), r.Host)
	}))
	t.Cleanup(web.Close)
	in := e2e.StartInstance(t, "AIRLOCK_SANDBOX="+backend,
		"AIRLOCK_LOCAL_SERVICES=web.test:8080="+web.Listener.Addr().String()+",db.test:5432="+database)
	in.Admin(password, "credential", "set", "DB_PASSWORD", "--mode", "injected")
	in.Admin("db.test", "credential", "set", "DB_HOST", "--mode", "plain")
	profile := in.Admin("", "profile", "create", "--description", "clients", "--key", "DB_PASSWORD", "--key", "DB_HOST",
		"--host", "web.test:8080", "--host", "{DB_HOST}:5432")
	in.Admin("", "profile", "lock", profile)

	x := in.Await(in.Submit(profile, `
import httpx, requests, urllib.request, psycopg2
url = "http://web.test:8080/x"
db = psycopg2.connect(host=settings.get("DB_HOST"), user="airlock", dbname="postgres",
                      password=settings.get("DB_PASSWORD"))
cursor = db.cursor()
cursor.execute("SELECT sum(n), repeat('x', 1000000) FROM generate_series(1, 1000) AS n")
total, text = cursor.fetchone()
cursor.execute("SELECT %s", (settings.get("DB_PASSWORD"),))
set_result({
    "httpx": httpx.post(url, content=b"x" * 100000).text, "requests": requests.get(url).text,
    "urllib": urllib.request.urlopen(url, data=b"abc").read().decode(),
    "total": total, "length": len(text), "reflected": cursor.fetchone()[0],
})`, 30*time.Second), time.Minute)
	var got map[string]any
	if x.Status != "completed" || json.Unmarshal(x.Result, &got) != nil {
		t.Fatalf("%s: %s\n%s", x.Status, x.Error, x.Stderr)
	}
	for key, want := range map[string]any{
		"httpx": "POST /x 100000 web.test:8080", "requests": "GET /x 0 web.test:8080", "urllib": "POST /x 3 web.test:8080",
		"total": 500500.0, "length": 1000000.0, "reflected": "[REDACTED...aple]",
	} {
		if got[key] != want {
			t.Errorf("%s: %v, want %v", key, got[key], want)
		}
	}

	for script, want := range map[string]struct {
		host string
		hint string
	}{
		`import httpx; httpx.get("http://elsewhere.test:8080/")`: {"elsewhere.test",
			`"host":"elsewhere.test`},
		`import requests; requests.get("http://sub.web.test:8080/")`: {"sub.web.test",
			`"host":"sub.web.test`},
		`import urllib.request as u; u.urlopen("http://web.test:5432/", timeout=5)`: {"web.test",
			`"host":"web.test:5432"`},
		`import psycopg2; psycopg2.connect(host="other-db.test", connect_timeout=5, user="x")`: {"other-db.test",
			`"host":"other-db.test`},
		`import psycopg2; psycopg2.connect(host="web.test", port=5432, connect_timeout=5, user="x")`: {"web.test",
			`"host":"web.test:5432"`},
	} {
		x := in.Submit(profile, script, 20*time.Second)
		x = in.Await(x, time.Minute)
		var seen struct {
			Network []struct{ Host, Verdict, Hint string } `json:"network"`
		}
		in.Call(http.MethodGet, "/executions/"+x.ID, nil, &seen)
		i := slices.IndexFunc(seen.Network, func(c struct{ Host, Verdict, Hint string }) bool {
			return c.Host == want.host && c.Verdict == "denied"
		})
		switch {
		case x.Status != "error":
			t.Errorf("%s ended as %s", script, x.Status)
		case i < 0:
			t.Errorf("%s: no denial of %s in %+v", script, want.host, seen.Network)
		case !strings.Contains(seen.Network[i].Hint, want.hint) || !strings.Contains(x.Error, want.host):
			t.Errorf("%s: the hint is %q, the error %q", script, seen.Network[i].Hint, x.Error)
		}
	}
}
