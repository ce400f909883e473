package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestUnchangedClientsReachAllowedHosts lets the clients that people really use talk through a box
// to a real web server and a real PostgreSQL, and to nothing else.
func TestUnchangedClientsReachAllowedHosts(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"bubblewrap", "landlock"} {
		t.Run(backend, func(t *testing.T) { unchangedClients(t, backend) })
	}
}

func unchangedClients(t *testing.T, backend string) {
	const password = "correct-horse-battery-staple"
	database := startPostgres(t, password)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %d %s", r.Method, r.URL.Path, len(body), r.Host)
	}))
	t.Cleanup(web.Close)
	in := startInstance(t, "AIRLOCK_SANDBOX="+backend,
		"AIRLOCK_LOCAL_SERVICES=web.test:8080="+web.Listener.Addr().String()+",db.test:5432="+database)
	in.admin(password, "credential", "set", "DB_PASSWORD", "--mode", "injected")
	in.admin("db.test", "credential", "set", "DB_HOST", "--mode", "plain")
	profile := in.admin("", "profile", "create", "--description", "clients", "--key", "DB_PASSWORD", "--key", "DB_HOST",
		"--host", "web.test:8080", "--host", "{DB_HOST}:5432")
	in.admin("", "profile", "lock", profile)

	x := in.await(in.submit(profile, `
import httpx, requests, urllib.request, psycopg2
url = "http://web.test:8080/x"
db = psycopg2.connect(host=settings.get("DB_HOST"), user="airlock", dbname="postgres", password=settings.get("DB_PASSWORD"))
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
		x := in.submit(profile, script, 20*time.Second)
		x = in.await(x, time.Minute)
		var seen struct {
			Network []struct{ Host, Verdict, Hint string } `json:"network"`
		}
		in.call(http.MethodGet, "/executions/"+x.ID, nil, &seen)
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

// startPostgres makes a database cluster of its own and returns its address. The user airlock logs
// in with the password.
func startPostgres(t *testing.T, password string) string {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	must(t, err)
	if len(found) == 0 {
		t.Fatal("PostgreSQL is missing: apt-get install postgresql")
	}
	bin := filepath.Dir(slices.Max(found))
	dir, err := os.MkdirTemp("", "airlock-postgres-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	secret := filepath.Join(dir, "password")
	must(t, os.WriteFile(secret, []byte(password), 0o644))
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		owner, err := user.Lookup("postgres")
		must(t, err)
		uid, _ := strconv.Atoi(owner.Uid)
		gid, _ := strconv.Atoi(owner.Gid)
		must(t, os.Chown(dir, uid, gid))
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "airlock", "--auth=scram-sha-256",
		"--pwfile="+secret, "--no-sync", "--locale=C.UTF-8")
	initdb.SysProcAttr, initdb.Dir = attributes, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	addr := freeAddress(t)
	_, port, _ := strings.Cut(addr, ":")
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-c", "listen_addresses=127.0.0.1", "-p", port,
		"-c", "unix_socket_directories=", "-c", "fsync=off")
	server.SysProcAttr, server.Dir = attributes, dir
	must(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	})
	eventually(t, 30*time.Second, "PostgreSQL listens", func() bool {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return addr
}
