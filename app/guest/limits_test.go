package guest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins/wire"
)

// A client's own timeout is shorter than the wait, so its giving up must already produce the row.
func TestAConnectionThatGaveUpWaitingIsReported(t *testing.T) {
	address := serve(t, func(conn *net.TCPConn) { _, _ = io.Copy(io.Discard, conn) })
	u := &upstream{addresses: map[string]string{"h.example.com:7": address}}
	var r reports
	j := job(`
import socket
held = [socket.create_connection(("h.example.com", 7)) for _ in range(64)]
for n in range(2):
    with socket.create_connection(("h.example.com", 7)) as s:
        s.settimeout(.3)
        try: s.recv(1)
        except TimeoutError: pass
set_result("done")`)
	j.Hosts = []wire.Host{{Name: "h.example.com", Ports: []int{7}}}
	h := (&recorder{dial: u.dial}).handler()
	h.Limited = func(host string, port int, limit wire.Limit) { r.add("%s %d limit %s", host, port, limit) }
	out, err := open(t).Run(t.Context(), j, h)
	if err != nil || string(out.Result) != `"done"` {
		t.Fatalf("%v %+v", err, out)
	}
	if want := []string{"h.example.com 7 limit open"}; !slices.Equal(r.list, want) {
		t.Errorf("reports: %v, want %v", r.list, want)
	}
	u.check(t)
}

func TestTheLastUnknownNameSaysThatNoMoreAreReported(t *testing.T) {
	var r reports
	r.during(t, `
import socket
for n in range(80):
    for again in range(2):
        try: socket.gethostbyname(f"n{n:02}.example.com")
        except socket.gaierror: pass`)
	limit := fmt.Sprintf("n%02d.example.com 0 limit refusals", wire.MaxRefusals-1)
	if len(r.list) != wire.MaxRefusals || !slices.Contains(r.list, limit) ||
		strings.Count(strings.Join(r.list, "\n"), "limit") != 1 {
		t.Errorf("%d reports, want %d with %q: %v", len(r.list), wire.MaxRefusals, limit, r.list)
	}
}

// A hundred requests at once is what the defaults of httpx and aiohttp allow.
func TestAHundredRequestsAtOnceSucceed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok") // and keeps the connection
	}))
	t.Cleanup(server.Close)
	address := server.Listener.Addr().String()
	for client, code := range map[string]string{
		"httpx": `
import asyncio, httpx
async def main():
    async with httpx.AsyncClient() as c:
        return [r.text for r in await asyncio.gather(*(c.get("http://h.example.com/") for _ in range(100)))]`,
		"aiohttp": `
import asyncio, aiohttp
async def get(s):
    async with s.get("http://h.example.com/") as r: return await r.text()
async def main():
    async with aiohttp.ClientSession() as s:
        return await asyncio.gather(*(get(s) for _ in range(100)))`,
		"asyncio": `
import asyncio
async def get():
    reader, writer = await asyncio.open_connection("h.example.com", 80)
    writer.write(b"GET / HTTP/1.1\r\nHost: h.example.com\r\nConnection: close\r\n\r\n")
    answer = await reader.read()
    writer.close()
    return answer[-2:].decode()
async def main(): return await asyncio.gather(*(get() for _ in range(100)))`,
	} {
		t.Run(client, func(t *testing.T) {
			t.Parallel() // aiohttp keeps connections, and so places, for 15 seconds
			u := &upstream{addresses: map[string]string{"h.example.com:80": address}}
			j := job(code + "\nset_result(asyncio.run(main()).count('ok'))")
			j.Hosts = []wire.Host{{Name: "h.example.com", Ports: []int{80}}}
			f := execute(t, j, &recorder{dial: u.dial})
			if f.Failed != nil && strings.HasPrefix(f.Failed.Error, "ModuleNotFoundError") {
				t.Skip(f.Failed.Error)
			}
			if f.err != nil || string(f.Result) != "100" || u.most > mostSeen {
				t.Errorf("%v: %s of 100, %d at once, %+v", f.err, f.Result, u.most, f.Failed)
			}
		})
	}
}
