package guest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins/wire"
)

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
