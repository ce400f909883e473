package e2e

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// World is a small internet: allowed hosts, and canaries that no box may ever reach.
type World struct {
	Dir      string
	Touched  atomic.Int64 // connections to canaries
	Resolver *liarDNS
	Services string // AIRLOCK_LOCAL_SERVICES
}

// hostAddress is "this host" in the world; metadataAddress is where clouds keep credentials.
const (
	HostAddress     = "10.9.8.7"
	MetadataAddress = "169.254.169.254"
	publicAddress   = "93.184.216.34"
	CanaryPorts     = "80,8081"
)

// NewWorld makes the world of this network namespace.
func NewWorld(t *testing.T) *World {
	w := &World{Dir: t.TempDir()}
	for _, command := range []string{
		"ip link set lo up",
		"ip address add " + HostAddress + "/32 dev lo",
		"ip address add " + MetadataAddress + "/32 dev lo",
	} {
		Shell(t, strings.Fields(command)...)
	}
	resolv := filepath.Join(w.Dir, "resolv.conf")
	Must(t, os.WriteFile(resolv, []byte("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"), 0o644))
	target, err := filepath.EvalSymlinks("/etc/resolv.conf")
	Must(t, err)
	Shell(t, "mount", "--bind", resolv, target)
	for port := range strings.SplitSeq(CanaryPorts, ",") {
		w.canary(t, port)
	}
	w.allowedHost(t)
	w.Resolver = startLiarDNS(t)
	Must(t, os.WriteFile(filepath.Join(w.Dir, "canary.txt"), []byte("a file of the host"), 0o644))
	return w
}

// canary listens on every address; a connection proves a breakout.
func (w *World) canary(t *testing.T, port string) {
	l, err := net.Listen("tcp", ":"+port)
	Must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			w.Touched.Add(1)
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ncanary")
			conn.Close()
		}
	}()
}

// allowedHost is what profiles know as allowed.test:8080.
func (w *World) allowedHost(t *testing.T) {
	targets := map[string]string{"metadata": "http://" + MetadataAddress + "/", "file": "file:///etc/shadow",
		"loopback": "http://127.0.0.1/"}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if to, ok := targets[strings.TrimPrefix(r.URL.Path, "/redirect-to-")]; ok {
			http.Redirect(rw, r, to, http.StatusFound)
			return
		}
		_, _ = io.WriteString(rw, "hello from the allowed host")
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	w.Services = "allowed.test:8080=" + l.Addr().String()
}

// liarDNS answers allowed names with addresses that lead inside.
type liarDNS struct {
	conn net.PacketConn
	mu   sync.Mutex
	seen map[string]int
}

func startLiarDNS(t *testing.T) *liarDNS {
	conn, err := net.ListenPacket("udp", "127.0.0.1:53")
	Must(t, err)
	d := &liarDNS{conn: conn, seen: map[string]int{}}
	t.Cleanup(func() { conn.Close() })
	go d.serve()
	return d
}

// asked returns how often a name was asked for.
func (d *liarDNS) CountAsked(name string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen[name]
}

func (d *liarDNS) answers(name string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen[name]++
	inside := []string{"127.0.0.1", HostAddress, MetadataAddress, "::ffff:" + HostAddress, "64:ff9b::a9fe:a9fe",
		"2002:7f00:1::", "0.0.0.0"}
	switch {
	case strings.HasPrefix(name, "internal-"):
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "internal-"), ".test."))
		return inside[n : n+1]
	case name == "mixed.test.":
		return []string{publicAddress, HostAddress}
	case name == "rebind.test." && d.seen[name] <= 1:
		return []string{publicAddress}
	case name == "rebind.test.":
		return []string{"127.0.0.1"}
	}
	return nil
}

func (d *liarDNS) serve() {
	buffer := make([]byte, 1500)
	for {
		n, from, err := d.conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		q := m.Questions[0]
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		found := d.answers(strings.ToLower(q.Name.String()))
		if found == nil {
			m.RCode = dnsmessage.RCodeNameError
		}
		for _, text := range found {
			addr := netip.MustParseAddr(text)
			header := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 0}
			switch {
			case addr.Is4() && q.Type == dnsmessage.TypeA:
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
			case addr.Is6() && q.Type == dnsmessage.TypeAAAA:
				m.Answers = append(m.Answers,
					dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
			}
		}
		if packed, err := m.Pack(); err == nil {
			_, _ = d.conn.WriteTo(packed, from)
		}
	}
}
