package guest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins/wire"
)

// upstream dials real servers on this host's loopback by the requested name, and records them.
type upstream struct {
	addresses map[string]string // host:port to address

	mu     sync.Mutex
	asked  []string
	open   int
	most   int
	closed int
}

// mostSeen is how many connections a host may see at once. A few ends arrive after the box has
// begun the next.
const mostSeen = wire.MaxConnects + 8

func (u *upstream) dial(ctx context.Context, host string, port int) (Conn, error) {
	key := fmt.Sprintf("%s:%d", host, port)
	u.mu.Lock()
	u.asked = append(u.asked, key)
	u.mu.Unlock()
	address, ok := u.addresses[key]
	if !ok {
		return nil, errors.New("not allowed: " + key)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.open++
	u.most = max(u.most, u.open)
	return &counted{conn.(*net.TCPConn), u}, nil
}

type counted struct {
	*net.TCPConn
	u *upstream
}

func (c *counted) Close() error {
	c.u.mu.Lock()
	c.u.open--
	c.u.closed++
	c.u.mu.Unlock()
	return c.TCPConn.Close()
}

func (u *upstream) check(t *testing.T) {
	t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open != 0 {
		t.Errorf("%d connections left", u.open)
	}
}

func connected(t *testing.T, text string, u *upstream, hosts ...wire.Host) finished {
	t.Helper()
	j := job(text)
	j.Hosts = hosts
	f := execute(t, j, &recorder{dial: u.dial})
	if f.err != nil {
		t.Fatalf("run: %v %+v", f.err, f.Outcome)
	}
	u.check(t)
	return f
}

func serve(t *testing.T, handle func(*net.TCPConn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				handle(conn.(*net.TCPConn))
			})
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return l.Addr().String()
}

func TestClients(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s%s %d", r.Method, r.Host, r.URL.Path, len(body))
	}))
	defer server.Close()
	u := &upstream{addresses: map[string]string{"api.example.com:80": server.Listener.Addr().String()}}
	f := connected(t, `
import httpx, requests, urllib.request, http.client, subprocess
url = "http://api.example.com/x"
body = b"b" * 3_000_000
conn = http.client.HTTPConnection("api.example.com")
conn.request("PUT", "/x", body)
set_result([
    httpx.get(url).text, httpx.post(url, content=body).text,
    requests.get(url).text, requests.post(url, data=body).text,
    urllib.request.urlopen(url).read().decode(), conn.getresponse().read().decode(),
    requests.get("http://API.Example.com./x").status_code,
])`, u, wire.Host{Name: "api.example.com", Ports: []int{80, 443}})
	want := `["GET api.example.com/x 0","POST api.example.com/x 3000000","GET api.example.com/x 0","POST api.example.com/x 3000000","GET api.example.com/x 0","PUT api.example.com/x 3000000",200]`
	if diff := cmp.Diff(want, string(f.Result)); diff != "" {
		t.Errorf("%s\n%+v", diff, f.Failed)
	}
}

func TestNothingElseIsReachable(t *testing.T) {
	u := &upstream{}
	f := connected(t, `
import socket
def attempt(host, port, kind=socket.SOCK_STREAM, family=socket.AF_INET):
    s = socket.socket(family, kind)
    s.settimeout(2)
    try:
        if kind == socket.SOCK_DGRAM: s.sendto(b"x", (host, port))
        else: s.connect((host, port)); return [repr(s.recv(1))]
        return "sent"
    except socket.gaierror as e: return e.args[1]
    except OSError as e: return e.strerror
    finally: s.close()
def lookup(name, family=0):
    try: return sorted({a[4][0] for a in socket.getaddrinfo(name, 80, family)})
    except socket.gaierror as e: return e.args[1]
mine = lookup("api.example.com")[0]
set_result({
    "v4": mine.startswith("127."), "again": lookup("api.example.com") == [mine], "v6": lookup("api.example.com", socket.AF_INET6),
    "subdomain": lookup("x.api.example.com"), "parent": lookup("example.com"), "other": lookup("secret-in-label.evil.example"),
    "wild": [lookup("a.cdn.example.net") != lookup("b.cdn.example.net"), lookup("cdn.example.net"), lookup("deep.er.cdn.example.net") != "", lookup("xcdn.example.net")],
    "localhost": lookup("localhost", socket.AF_INET), "odd": [lookup("api.example.com\\000.evil"), lookup("a" * 63 + ".cdn.example.net")[0][:4], lookup(("a" * 60 + ".") * 3 + "cdn.example.net")],
    "denied by the engine": attempt("api.example.com", 443), "port of another host": attempt("api.example.com", 8443), "no listener": attempt("api.example.com", 22),
    "loopback": attempt("127.0.0.1", 443), "unassigned": attempt("127.99.99.99", 443), "airlock": attempt("127.0.0.1", 9090),
    "internet": attempt("8.8.8.8", 53), "metadata": attempt("169.254.169.254", 80), "private": attempt("10.0.0.1", 443), "udp": attempt("1.1.1.1", 53, socket.SOCK_DGRAM),
    "six": attempt("2606:4700::1111", 443, family=socket.AF_INET6),
})`, u, wire.Host{Name: "api.example.com", Ports: []int{443}}, wire.Host{Name: "*.cdn.example.net", Ports: []int{8443}})
	want := `{"v4":true,"again":true,"v6":"No address associated with hostname","subdomain":"Name or service not known","parent":"Name or service not known","other":"Name or service not known",` +
		`"wild":[true,"Name or service not known",true,"Name or service not known"],"localhost":["127.0.0.1"],"odd":["Name or service not known","127.","Name or service not known"],` +
		`"denied by the engine":"Connection reset by peer","port of another host":"Connection reset by peer","no listener":"Connection refused","loopback":"Connection reset by peer","unassigned":"Connection reset by peer","airlock":"Connection refused",` +
		`"internet":"Network is unreachable","metadata":"Network is unreachable","private":"Network is unreachable","udp":"Network is unreachable","six":"Network is unreachable"}`
	if diff := cmp.Diff(want, string(f.Result)); diff != "" {
		t.Errorf("%s\n%+v", diff, f.Failed)
	}
	// What is refused is told to the engine, each unknown name once.
	asked := []string{
		"x.api.example.com:0", "example.com:0", "secret-in-label.evil.example:0", "cdn.example.net:0",
		"xcdn.example.net:0",
		strings.Repeat(strings.Repeat("a", 60)+".", 3) + "cdn.example.net:0", "api.example.com:443",
		"api.example.com:8443", "api.example.com:22",
	}
	if diff := cmp.Diff(asked, u.asked); diff != "" {
		t.Errorf("asked for: %s", diff)
	}
}

func TestNoHostsMeansNothing(t *testing.T) {
	u := &upstream{}
	f := connected(t, "import socket\ntry: socket.getaddrinfo('example.com', 80)\nexcept socket.gaierror as e: "+
		"set_result(e.args[1])", u)
	if string(f.Result) != `"Name or service not known"` || !slices.Equal(u.asked, []string{"example.com:0"}) {
		t.Errorf("%s %v", f.Result, u.asked)
	}
}

// TestDatabase checks a server on a port that isn't HTTP's, as psycopg uses it. The client's
// library is real; the server refuses by protocol.
func TestDatabase(t *testing.T) {
	address := serve(t, func(conn *net.TCPConn) {
		startup := make([]byte, 8)
		if _, err := io.ReadFull(conn, startup); err != nil {
			return
		}
		if startup[7] == 0x2f { // SSLRequest
			_, _ = conn.Write([]byte("N"))
			if _, err := io.ReadFull(conn, startup); err != nil {
				return
			}
		}
		rest := make([]byte, int(startup[3])-8)
		_, _ = io.ReadFull(conn, rest)
		message := "SFATAL\x00C28000\x00Mno entry for " + strings.Split(string(rest), "\x00")[1] + "\x00\x00"
		_, _ = conn.Write(append([]byte{'E', 0, 0, 0, byte(len(message) + 4)}, message...))
	})
	u := &upstream{addresses: map[string]string{"db.example.com:5432": address}}
	f := connected(t, "import psycopg2\ntry: psycopg2.connect(host='db.example.com', user='report', dbname='d', "+
		"gssencmode='disable')\nexcept psycopg2.OperationalError as e: set_result(str(e))",
		u, wire.Host{Name: "db.example.com", Ports: []int{5432}})
	if !strings.Contains(string(f.Result), "no entry for report") {
		t.Errorf("%s %+v", f.Result, f.Failed)
	}
}

func TestHalfClose(t *testing.T) {
	address := serve(t, func(conn *net.TCPConn) {
		all, _ := io.ReadAll(conn) // until the client's end
		fmt.Fprintf(conn, "got %d", len(all))
	})
	u := &upstream{addresses: map[string]string{"h.example.com:7": address}}
	f := connected(t, `
import socket
s = socket.create_connection(("h.example.com", 7))
s.sendall(b"x" * 5_000_000)
s.shutdown(socket.SHUT_WR)
set_result(s.makefile().read())`, u, wire.Host{Name: "h.example.com", Ports: []int{7}})
	if string(f.Result) != `"got 5000000"` {
		t.Errorf("%s %+v", f.Result, f.Failed)
	}
}

func TestBrokenDownload(t *testing.T) {
	address := serve(t, func(conn *net.TCPConn) {
		_, _ = conn.Write([]byte("some"))
		_, _ = io.ReadFull(conn, make([]byte, 1))
		_ = conn.SetLinger(0)
	})
	u := &upstream{addresses: map[string]string{"h.example.com:7": address}}
	f := connected(t, `
import socket
s = socket.create_connection(("h.example.com", 7))
first = s.recv(4).decode()
s.sendall(b"x")
try: set_result([first, s.recv(1).decode()])
except ConnectionResetError: set_result([first, "reset"])`, u, wire.Host{Name: "h.example.com", Ports: []int{7}})
	if string(f.Result) != `["some","reset"]` {
		t.Errorf("%s %+v", f.Result, f.Failed)
	}
}

func TestAbandonedDownload(t *testing.T) {
	stopped := make(chan int, 1)
	address := serve(t, func(conn *net.TCPConn) {
		sent := 0
		for chunk := make([]byte, 64<<10); ; {
			n, err := conn.Write(chunk)
			sent += n
			if err != nil {
				stopped <- sent
				return
			}
		}
	})
	u := &upstream{addresses: map[string]string{"h.example.com:7": address}}
	connected(t, `
import socket, time
s = socket.create_connection(("h.example.com", 7))
s.recv(100)
s.close()
time.sleep(.5)`, u, wire.Host{Name: "h.example.com", Ports: []int{7}})
	if sent := <-stopped; sent > 100<<20 {
		t.Errorf("%d bytes were sent to nobody", sent)
	}
}

func TestLastWords(t *testing.T) {
	got := make(chan int64, 1)
	address := serve(t, func(conn *net.TCPConn) {
		n, _ := io.Copy(io.Discard, conn)
		got <- n
	})
	u := &upstream{addresses: map[string]string{"h.example.com:7": address}}
	connected(t, "import socket, os\ns = socket.create_connection(('h.example.com', 7))\ns.sendall(b'x' * "+
		"2_000_000)\nos._exit(0)", u, wire.Host{Name: "h.example.com", Ports: []int{7}})
	if n := <-got; n != 2_000_000 {
		t.Errorf("%d bytes arrived", n)
	}
}

// TestHoleG4BusyConnectionAtTheEnd: a connection with incoming data breaks at the script's end.
// That is no protocol error, and the result counts.
func TestHoleG4BusyConnectionAtTheEnd(t *testing.T) {
	s := open(t)
	written := make(chan struct{})
	address := serve(t, func(conn *net.TCPConn) {
		_, _ = io.Copy(io.Discard, conn) // until the process is gone
		<-s.current().exited
		_, _ = conn.Write(make([]byte, 32<<20)) // more than lies between, so that the box has met the break
		close(written)
	})
	u := &upstream{addresses: map[string]string{"h.example.com:7": address}}
	j := job(`
import socket
s = socket.create_connection(("h.example.com", 7))
s.sendall(b"x")
print("output that is still read after the end")
set_result("done")`)
	j.Hosts = []wire.Host{{Name: "h.example.com", Ports: []int{7}}}
	h := (&recorder{dial: u.dial}).handler()
	h.Stdout = func([]byte) { <-written }
	outcome, err := s.Run(t.Context(), j, h)
	if err != nil || string(outcome.Result) != `"done"` {
		t.Errorf("%v %+v", err, outcome)
	}
	u.check(t)
}

func TestConnectionsAtOnce(t *testing.T) {
	address := serve(t, func(conn *net.TCPConn) {
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err == nil {
			_, _ = io.WriteString(conn, line)
		}
	})
	u := &upstream{addresses: map[string]string{"h.example.com:7": address}}
	f := connected(t, `
import socket
answers, held = [], []
for _ in range(64): # each has its place before the next one asks for one
    held.append(socket.create_connection(("h.example.com", 7)))
    held[-1].sendall(b"hi\n")
    answers.append(held[-1].recv(10).decode().strip())
held += [socket.create_connection(("h.example.com", 7)) for _ in range(16)]
held[64].settimeout(1)
held[64].sendall(b"hi\n")
try: held[64].recv(10); answers.append("not held back")
except TimeoutError: answers.append("waits")
for s in held[:64]: s.close()
for s in held[64:]:
    s.settimeout(5)
    try:
        if s is not held[64]: s.sendall(b"hi\n")
        answers.append(s.recv(10).decode().strip())
    except ConnectionError: answers.append("reset")
for s in held: s.close()
import time
for _ in range(100):
    try:
        s = socket.create_connection(("h.example.com", 7)); s.sendall(b"again\n"); answers.append(s.recv(10).decode().strip()); break
    except ConnectionError: time.sleep(.02)
set_result({a: answers.count(a) for a in sorted(set(answers))})`, u, wire.Host{Name: "h.example.com", Ports: []int{7}})
	if string(f.Result) != `{"again":1,"hi":80,"waits":1}` || u.most > mostSeen {
		t.Errorf("%s, %d at once, %+v", f.Result, u.most, f.Failed)
	}
}

func TestEndOfRunClosesConnections(t *testing.T) {
	up := make(chan struct{})
	gone := make(chan struct{})
	address := serve(t, func(conn *net.TCPConn) {
		close(up)
		_, _ = io.Copy(io.Discard, conn)
		close(gone)
	})
	u := &upstream{addresses: map[string]string{"h.example.com:7": address}}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-up; cancel() }()
	j := job("import socket, time\ns = socket.create_connection(('h.example.com', 7))\ntime.sleep(1000)")
	j.Hosts = []wire.Host{{Name: "h.example.com", Ports: []int{7}}}
	if _, err := open(t).Run(ctx, j, (&recorder{dial: u.dial}).handler()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	u.check(t)
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Error("the connection outlived the run")
	}
}

// TestThroughput moves 100 MB each way and reports, so that a regression shows in the log.
func TestThroughput(t *testing.T) {
	const size = 100_000_000
	address := serve(t, func(conn *net.TCPConn) {
		n, _ := io.Copy(io.Discard, conn)
		_, _ = io.CopyN(conn, zeros{}, n)
	})
	u := &upstream{addresses: map[string]string{"h.example.com:7": address}}
	f := connected(t, fmt.Sprintf(`
import socket, time
s = socket.create_connection(("h.example.com", 7))
begin = time.monotonic()
chunk = bytes(1 << 20)
left = %d
while left: n = s.send(chunk[:left]); left -= n
s.shutdown(socket.SHUT_WR)
middle = time.monotonic()
total = 0
while True:
    part = s.recv(1 << 20)
    if not part: break
    total += len(part)
print(round(middle - begin, 2), "s up,", round(time.monotonic() - middle, 2), "s down")
set_result(total)`, size), u, wire.Host{Name: "h.example.com", Ports: []int{7}})
	if string(f.Result) != fmt.Sprint(size) {
		t.Errorf("%s %+v", f.Result, f.Failed)
	}
	t.Log(f.stdout)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestResolverOverTCPAndBadQueries(t *testing.T) {
	u := &upstream{}
	f := connected(t, `
import socket, struct
def query(name, kind=1, cls=1, count=1, flags=0x0100):
    q = b"".join(bytes([len(l)]) + l.encode() for l in name.split(".")) + b"\0" + struct.pack(">HH", kind, cls)
    return struct.pack(">HHHHHH", 7, flags, count, 0, 0, 0) + q * count
def udp(data, wait=30):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(wait)
    s.sendto(data, ("127.0.0.1", 53))
    try: return s.recv(600)
    except TimeoutError: return None
def tcp(data):
    s = socket.create_connection(("127.0.0.1", 53))
    s.sendall(struct.pack(">H", len(data)) + data)
    size = s.recv(2)
    return s.recv(600) if size else None
code = lambda reply: reply and [reply[3] & 15, struct.unpack(">H", reply[6:8])[0]]
good = query("h.example.com")
set_result({
    "a": code(udp(good)), "tcp": code(tcp(good)), "same": udp(good)[-4:] == tcp(good)[-4:], "case": code(udp(query("H.exAMple.com"))),
    "aaaa": code(udp(query("h.example.com", 28))), "https": code(udp(query("h.example.com", 65))), "ptr": code(udp(query("1.0.0.127.in-addr.arpa", 12))),
    "txt of another": code(udp(query("exfil.evil.example", 16))), "chaos": code(udp(query("h.example.com", 1, 3))), "update": code(udp(query("h.example.com", flags=0x2800))),
    "two": code(udp(query("h.example.com", count=2))), "none": code(udp(query("h.example.com", count=0))),
    "response": code(udp(query("h.example.com", flags=0x8100), .2)), "short": code(udp(b"abc", .2)), "long": code(udp(good + b"x" * 1000, .2)), "noise": code(udp(bytes(range(255)))),
})`, u, wire.Host{Name: "h.example.com", Ports: []int{7}})
	want := `{"a":[0,1],"tcp":[0,1],"same":true,"case":[0,1],"aaaa":[0,0],"https":[0,0],"ptr":[3,0],"txt of another":[3,0],"chaos":[5,0],"update":[4,0],"two":[1,0],"none":[1,0],` +
		`"response":null,"short":null,"long":null,"noise":[1,0]}`
	if diff := cmp.Diff(want, string(f.Result)); diff != "" {
		t.Errorf("%s\n%+v", diff, f.Failed)
	}
}

func TestWildcardNamesAreCapped(t *testing.T) {
	f := connected(t, `
import socket
found = 0
for n in range(400):
    try: socket.getaddrinfo("n%d.cdn.example.net" % n, 80); found += 1
    except socket.gaierror: pass
set_result(found)`, &upstream{}, wire.Host{Name: "*.cdn.example.net", Ports: []int{80}})
	var found int
	if _, err := fmt.Sscan(string(f.Result), &found); err != nil || found < 64 || found > 256 {
		t.Errorf("%s names, %+v", f.Result, f.Failed)
	}
}

func TestManyConnectionsInARow(t *testing.T) {
	address := serve(t, func(conn *net.TCPConn) { _, _ = io.Copy(conn, conn) })
	u := &upstream{addresses: map[string]string{"h.example.com:7": address}}
	f := connected(t, `
import socket
n = 0
for _ in range(250):
    s = socket.create_connection(("h.example.com", 7))
    s.sendall(b"x")
    n += len(s.recv(1))
    s.close()
set_result(n)`, u, wire.Host{Name: "h.example.com", Ports: []int{7}})
	if string(f.Result) != "250" || len(slices.Compact(u.asked)) != 1 {
		t.Errorf("%s %+v", f.Result, f.Failed)
	}
}

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
			if f.err != nil || string(f.Result) != "100" || u.most > mostSeen {
				t.Errorf("%v: %s of 100, %d at once, %+v", f.err, f.Result, u.most, f.Failed)
			}
		})
	}
}

// reports collects what a box tells of that it doesn't do.
type reports struct {
	mu   sync.Mutex
	list []string
}

func (r *reports) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, fmt.Sprintf(format, args...))
}

// during runs a script in a real box and returns its result and the reports.
func (r *reports) during(t *testing.T, script string, hosts ...wire.Host) string {
	t.Helper()
	j := job(script)
	j.Hosts = hosts
	rec := &recorder{dial: func(_ context.Context, host string, port int) (Conn, error) {
		r.add("%s %d", host, port)
		return nil, io.ErrClosedPipe
	}}
	h := rec.handler()
	h.Unanswered = func(host, record string) { r.add("%s %s", host, record) }
	h.Limited = func(host string, port int, limit wire.Limit) { r.add("%s %d limit %s", host, port, limit) }
	out, err := open(t).Run(t.Context(), j, h)
	if err != nil || out.Failed != nil {
		t.Fatalf("run: %v %+v %s", err, out.Failed, rec.stderr.String())
	}
	slices.Sort(r.list)
	return string(out.Result)
}

// A program other than Python that tries an unlisted port must leave a row, a request and a hint
// too.
func TestAProgramAtAnUnlistedPortIsReported(t *testing.T) {
	var r reports
	r.during(t, `
import subprocess
for url in ("http://api.example.com:8080/", "https://api.example.com:8443/", "http://api.example.com:8080/again"):
    assert subprocess.run(["curl", "-s", url]).returncode == 7, url
subprocess.run(["curl", "-s", "http://api.example.com/"])
import socket
with socket.create_server(("127.0.0.1", 9000)) as own:  # the box's own connections are nobody's business
    socket.create_connection(("127.0.0.1", 9000)).close()
subprocess.run(["curl", "-s", "http://127.0.0.1:9001/"])
`, wire.Host{Name: "api.example.com", Ports: []int{80}})
	want := []string{"api.example.com 80", "api.example.com 8080", "api.example.com 8443"}
	if diff := cmp.Diff(want, r.list); diff != "" {
		t.Error(diff)
	}
}

const askDNS = `
import socket, struct
def ask(name, kind):
    query = struct.pack("!HHHHHH", 7, 0x100, 1, 0, 0, 0)
    query += b"".join(bytes([len(l)]) + l.encode() for l in name.split(".")) + b"\0" + struct.pack("!HH", kind, 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(5)
        s.sendto(query, ("127.0.0.1", 53))
        reply = s.recv(512)
    return [reply[3] & 15, struct.unpack("!H", reply[6:8])[0]]
`

func TestReverseNamesAreAnsweredWithoutARow(t *testing.T) {
	var r reports
	result := r.during(t, askDNS+`
address = socket.gethostbyname("api.example.com")
set_result([socket.getfqdn(address) == address, socket.getfqdn("127.0.0.1"), socket.getfqdn("203.0.113.7"),
    ask("7.113.0.203.in-addr.arpa", 12), ask("1.0.0.0.ip6.arpa", 12), ask("x.in-addr.arpa", 12), ask("1.0.0.127.in-addr.arpa", 1)])
`, wire.Host{Name: "api.example.com", Ports: []int{443}})
	want := `[true,"localhost","203.0.113.7",[3,0],[3,0],[3,0],[3,0]]`
	if result != want || len(r.list) != 0 {
		t.Errorf("got %s, want %s; reported %v", result, want, r.list)
	}
}

// A client of mongodb+srv:// got "no such record" and its person nothing to see.
func TestRecordsOtherThanAddressesAreReportedOnce(t *testing.T) {
	var r reports
	result := r.during(t, askDNS+`
set_result([ask("db.example.com", 16), ask("db.example.com", 16), ask("_mongodb._tcp.db.example.com", 33), ask("db.example.com", 28),
    ask("other.example.com", 33), ask("db.example.com", 1)])
`, wire.Host{Name: "db.example.com", Ports: []int{443}})
	var got [][2]int
	if err := json.Unmarshal([]byte(result), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][2]int{{0, 0}, {0, 0}, {3, 0}, {0, 0}, {3, 0}, {0, 1}}, got); diff != "" {
		t.Error(diff)
	}
	want := []string{"_mongodb._tcp.db.example.com SRV", "db.example.com TXT", "other.example.com SRV"}
	if diff := cmp.Diff(want, r.list); diff != "" {
		t.Error(diff)
	}
}

// The socket that tells of them stays with the box's first process.
func TestAScriptHasNoSocketThatItDidNotOpen(t *testing.T) {
	var r reports
	result := r.during(t, `
import os
def sockets(): return sorted(t for t in (os.readlink("/proc/self/fd/" + n) for n in os.listdir("/proc/self/fd") if n != "3" and os.path.islink("/proc/self/fd/" + n)) if "socket" in t)
set_result([sockets(), os.popen("ls -l /proc/self/fd").read().count("socket")])
`)
	if result != "[[],0]" {
		t.Errorf("the script has %s", result)
	}
}
