package egress

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/computclaw/airlock/app"
)

// boxHosts maps names for a box's clients to addresses of a relay.
const boxHosts = "198.18.7.1 api.box.test\n198.18.7.2 open.box.test\n198.18.7.3 bad.box.test\n127.0.0.1 localhost\n"

// relayAt hands connections to a session, as the guest does.
func relayAt(t *testing.T, s *Session, at, name string, port int) {
	t.Helper()
	listener, err := net.Listen("tcp4", fmt.Sprintf("%s:%d", at, port))
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			box, err := listener.Accept()
			if err != nil {
				return
			}
			served.Go(func() {
				defer box.Close()
				out, err := s.Dial(t.Context(), name, port)
				if err != nil {
					return
				}
				defer out.Close()
				var both sync.WaitGroup
				both.Go(func() { _, _ = io.Copy(out, box); _ = out.CloseWrite() })
				both.Go(func() { _, _ = io.Copy(box, out); _ = box.(*net.TCPConn).CloseWrite() })
				both.Wait()
			})
		}
	})
	t.Cleanup(func() { _ = listener.Close(); s.Close(); served.Wait() })
}

const clientsScript = `
import asyncio, http.client, os, socket, ssl, subprocess, sys, urllib.request
import aiohttp, httpx, requests, urllib3
key, size = sys.argv[1], 3_000_000
head = {"Authorization": "Bearer " + key}
base = "https://api.box.test"
want = "Bearer " + key
def pieces():
    for _ in range(30): yield b"x" * 100_000
def check(name, get, post, big, sent):
    got = [get, post, big, sent]
    expected = [want + "|0", want + "|13", size, want + "|" + str(size)]
    assert got == expected, (name, [str(g)[:200] for g in got])
    print(name, "ok")

with httpx.Client(headers=head) as c:
    check("httpx", c.get(base + "/a").text, c.post(base + "/b", content=b"x" * 13).text,
          len(c.get(base + "/big?n=3000000").content), c.post(base + "/up", content=pieces()).text)
with requests.Session() as c:
    c.headers.update(head)
    check("requests", c.get(base + "/a").text, c.post(base + "/b", data=b"x" * 13).text, len(c.get(base + "/big?n=3000000").content), c.post(base + "/up", data=pieces()).text)
def u(path, data=None):
    return urllib.request.urlopen(urllib.request.Request(base + path, data=data, headers=head)).read()
check("urllib", u("/a").decode(), u("/b", b"x" * 13).decode(), len(u("/big?n=3000000")), u("/up", b"x" * size).decode())
p = urllib3.PoolManager(cert_reqs="CERT_REQUIRED", ca_certs=os.environ["SSL_CERT_FILE"], headers=head)
check("urllib3", p.request("GET", base + "/a").data.decode(), p.request("POST", base + "/b", body=b"x" * 13).data.decode(),
      len(p.request("GET", base + "/big?n=3000000").data), p.request("POST", base + "/up", body=b"x" * size).data.decode())
async def a():
    async with aiohttp.ClientSession(headers=head) as c:
        async def text(r):
            async with r as response: return await response.text()
        async def stream():
            for piece in pieces(): yield piece
        check("aiohttp", await text(c.get(base + "/a")), await text(c.post(base + "/b", data=b"x" * 13)), len(await text(c.get(base + "/big?n=3000000"))), await text(c.post(base + "/up", data=stream())))
asyncio.run(a())
def h(method, path, body=None):
    connection.request(method, path, body=body, headers=head, encode_chunked=False)
    return connection.getresponse().read()
connection = http.client.HTTPSConnection("api.box.test")
check("http.client", h("GET", "/a").decode(), h("POST", "/b", b"x" * 13).decode(), len(h("GET", "/big?n=3000000")), h("POST", "/up", b"x" * size).decode())
def curl(*args, data=None):
    return subprocess.run(["curl", "-sS", "--max-time", "60", "-H", "Authorization: Bearer " + key, *args], input=data, capture_output=True, check=True).stdout
check("curl", curl(base + "/a").decode(), curl("--data-binary", "@-", base + "/b", data=b"x" * 13).decode(), len(curl(base + "/big?n=3000000")),
      curl("-T", "-", "-X", "POST", base + "/up", data=b"x" * size).decode())
assert curl("--http2", base + "/a").decode() == want + "|0"
assert curl("-I", base + "/a").startswith(b"HTTP/1.1 200"), curl("-I", base + "/a")

# Refusals are answers that every client shows.
for r in (httpx.get("http://open.box.test/", headers=head), requests.get("http://open.box.test/", headers=head)):
    assert r.status_code == 403 and r.headers["X-Airlock"] == "placeholder for another host" and r.json()["error"]["hint"], r.text
r = httpx.get("https://bad.box.test/")
assert r.status_code == 502 and "AIRLOCK_EXTRA_CA" in r.json()["error"]["hint"], r.text
try:
    ssl.create_default_context().wrap_socket(socket.create_connection(("open.box.test", 443)), server_hostname="evil.test")
except ssl.SSLError as e:
    assert "ACCESS_DENIED" in str(e).upper().replace(" ", "_"), e
else:
    raise AssertionError("a wrong server name passes")
print("done")
`

// Unchanged clients find the bundle by the usual variables, work with a read connection, and see
// only the placeholder.
func TestRealClients(t *testing.T) {
	l := newLab(t)
	l.web("api.box.test", 443, l.tls("api.box.test"), func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.Header.Get("Authorization"), testValue) {
			t.Errorf("%s without the value", r.URL)
		}
		var size int64
		if n, _ := fmt.Sscanf(r.URL.RawQuery, "n=%d", &size); n == 1 {
			_, _ = io.Copy(w, io.LimitReader(zeros{}, size))
			return
		}
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, "%s|%d", r.Header.Get("Authorization"), n)
	})
	l.web("open.box.test", 443, l.tls("open.box.test"), reflect)
	l.web("open.box.test", 80, nil, reflect)
	other := *l
	other.public = newLab(t).public
	l.web("bad.box.test", 443, other.tls("bad.box.test"), reflect)
	s := l.session(Limits{}, []string{"api.box.test", "open.box.test", "bad.box.test"}, "api.box.test:443",
		"bad.box.test:443")
	relayAt(t, s, "198.18.7.1", "api.box.test", 443)
	relayAt(t, s, "198.18.7.2", "open.box.test", 443)
	relayAt(t, s, "198.18.7.2", "open.box.test", 80)
	relayAt(t, s, "198.18.7.3", "bad.box.test", 443)

	bundle := filepath.Join(t.TempDir(), "bundle.pem")
	if err := os.WriteFile(bundle, append(l.airlock.Certificate(), l.public.Certificate()...), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", "-W", "ignore", "-c", clientsScript, testPlaceholder)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "SSL_CERT_FILE=" + bundle, "REQUESTS_CA_BUNDLE=" + bundle,
		"CURL_CA_BUNDLE=" + bundle}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "done\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	rows, _ := json.Marshal(s.Ledger())
	if strings.Contains(string(rows), testValue) {
		t.Error("the value is in the ledger")
	}
	swapped := 0
	for _, row := range s.Ledger() {
		if row.Host == "api.box.test" && row.Verdict == app.VerdictAllowed && len(row.Credentials) == 1 && row.Status == 200 {
			swapped++
		}
	}
	if swapped != 30 {
		t.Errorf("%d requests in the ledger", swapped)
	}
}
