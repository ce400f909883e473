package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// inNamespaces runs this test again in a network and mount namespace of its own, where it may own
// every address, and reports whether the caller is that inner run. It needs root, or a kernel that
// lets users make namespaces. Such tests don't see each other, so they run in parallel.
func inNamespaces(t *testing.T) bool {
	if os.Getenv("AIRLOCK_TEST_WORLD") == "1" {
		must(t, os.Unsetenv("AIRLOCK_TEST_WORLD"))
		return true
	}
	t.Parallel()
	args := []string{"--net", "--mount"}
	if os.Getuid() != 0 {
		args = append(args, "--user", "--map-current-user", "--keep-caps")
	}
	args = append(args, "--", os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout="+innerTime().String())
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	inner := exec.Command("unshare", args...)
	inner.Env = append(os.Environ(), "AIRLOCK_TEST_WORLD=1", innerProgram+"="+binDir)
	var out bytes.Buffer
	inner.Stdout = &out
	if testing.Verbose() { // as it comes: some run for an hour
		inner.Stdout = os.Stdout
	}
	inner.Stderr = inner.Stdout
	if err := inner.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	return false
}

// innerTime is less than the outer run has, so that what hangs is told of.
func innerTime() time.Duration {
	limit, _ := time.ParseDuration(flag.Lookup("test.timeout").Value.String())
	return limit * 9 / 10
}

// world is a small internet: hosts that a profile may allow, and canaries that nothing in a box may
// ever reach.
type world struct {
	dir      string
	touched  atomic.Int64 // connections to canaries
	resolver *liarDNS
	services string // AIRLOCK_LOCAL_SERVICES
}

// hostAddress is an address of "this host" in the world; metadataAddress is where clouds keep their
// credentials.
const (
	hostAddress     = "10.9.8.7"
	metadataAddress = "169.254.169.254"
	publicAddress   = "93.184.216.34"
	canaryPorts     = "80,8081"
)

func newWorld(t *testing.T) *world {
	w := &world{dir: t.TempDir()}
	for _, command := range []string{
		"ip link set lo up",
		"ip address add " + hostAddress + "/32 dev lo",
		"ip address add " + metadataAddress + "/32 dev lo",
	} {
		shell(t, strings.Fields(command)...)
	}
	resolv := filepath.Join(w.dir, "resolv.conf")
	must(t, os.WriteFile(resolv, []byte("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"), 0o644))
	target, err := filepath.EvalSymlinks("/etc/resolv.conf")
	must(t, err)
	shell(t, "mount", "--bind", resolv, target)
	for port := range strings.SplitSeq(canaryPorts, ",") {
		w.canary(t, port)
	}
	w.allowedHost(t)
	w.resolver = startLiarDNS(t)
	must(t, os.WriteFile(filepath.Join(w.dir, "canary.txt"), []byte("a file of the host"), 0o644))
	return w
}

// canary listens on every address of the world; whoever connects has broken out.
func (w *world) canary(t *testing.T, port string) {
	l, err := net.Listen("tcp", ":"+port)
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			w.touched.Add(1)
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ncanary")
			conn.Close()
		}
	}()
}

// allowedHost is what profiles know as allowed.test:8080.
func (w *world) allowedHost(t *testing.T) {
	targets := map[string]string{"metadata": "http://" + metadataAddress + "/", "file": "file:///etc/shadow",
		"loopback": "http://127.0.0.1/"}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if to, ok := targets[strings.TrimPrefix(r.URL.Path, "/redirect-to-")]; ok {
			http.Redirect(rw, r, to, http.StatusFound)
			return
		}
		_, _ = io.WriteString(rw, "hello from the allowed host")
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	w.services = "allowed.test:8080=" + l.Addr().String()
}

// liarDNS answers allowed names with addresses that lead inside.
type liarDNS struct {
	conn net.PacketConn
	mu   sync.Mutex
	seen map[string]int
}

func startLiarDNS(t *testing.T) *liarDNS {
	conn, err := net.ListenPacket("udp", "127.0.0.1:53")
	must(t, err)
	d := &liarDNS{conn: conn, seen: map[string]int{}}
	t.Cleanup(func() { conn.Close() })
	go d.serve()
	return d
}

// asked returns how often a name was asked for.
func (d *liarDNS) asked(name string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen[name]
}

func (d *liarDNS) answers(name string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen[name]++
	inside := []string{"127.0.0.1", hostAddress, metadataAddress, "::ffff:" + hostAddress, "64:ff9b::a9fe:a9fe",
		"2002:7f00:1::", "0.0.0.0"}
	switch {
	case strings.HasPrefix(name, "internal-"):
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "internal-"), ".test."))
		return inside[n : n+1]
	case name == "mixed.test.":
		return []string{publicAddress, hostAddress}
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

// testServer is a real `airlock serve` with a data directory of its own.
type testServer struct {
	t       *testing.T
	binary  string
	dir     string
	url     string
	log     string // path
	env     []string
	server  *exec.Cmd
	answers string // path: every body that came back
	mu      sync.Mutex
	command func(args ...string) *exec.Cmd // of the program, where it runs
}

// startInstance starts the program.
func startInstance(t *testing.T, env ...string) *testServer {
	in := newInstance(t, env...)
	t.Cleanup(in.stop) // also if it never gets ready
	in.start()
	return in
}

// suiteToken is the admin token of every instance of the tests.
const suiteToken = "atk_a-token-of-the-test-suite"

// newInstance has a data directory and an address, and does not run yet.
func newInstance(t *testing.T, env ...string) *testServer {
	in := &testServer{t: t, binary: filepath.Join(binDir, "airlock"), dir: t.TempDir()}
	addr := freeAddress(t)
	in.url = "http://" + addr
	in.log, in.answers = filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "answers")
	in.command = func(args ...string) *exec.Cmd {
		command := exec.Command(in.binary, args...)
		command.Env = in.env
		return command
	}
	in.env = append(os.Environ(),
		append([]string{"AIRLOCK_DATA_DIR=" + in.dir, "AIRLOCK_ADDR=" + addr, "AIRLOCK_ADMIN_TOKEN=" + suiteToken},
			env...)...)
	return in
}

func (in *testServer) start() {
	in.launch()
	eventually(in.t, 60*time.Second, "the sandbox is ready", in.ready)
}

// launch starts the program and does not wait for it.
func (in *testServer) launch() {
	log, err := os.OpenFile(in.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(in.t, err)
	defer log.Close()
	in.server = in.command("serve")
	in.server.Stdout, in.server.Stderr = log, log
	must(in.t, in.server.Start())
}

// ready reports whether scripts could run now.
func (in *testServer) ready() bool {
	var health struct {
		Sandbox struct {
			Ready bool `json:"ready"`
		} `json:"sandbox"`
	}
	return in.call(http.MethodGet, "/health", nil, &health) == http.StatusOK && health.Sandbox.Ready
}

func (in *testServer) stop() {
	if in.server == nil || in.server.ProcessState != nil {
		return
	}
	_ = in.server.Process.Signal(os.Interrupt)
	_ = in.server.Wait()
}

// admin runs `airlock admin` on the instance's data directory.
func (in *testServer) admin(stdin string, args ...string) string {
	in.t.Helper()
	command := in.command(append([]string{"admin"}, args...)...)
	command.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		in.t.Fatalf("airlock admin %v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// call makes one request as an agent and keeps the answer for the detector. It returns 0 if there
// was no answer.
func (in *testServer) call(method, path string, body, answer any) int {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		must(in.t, err)
		reader = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, in.url+path, reader)
	must(in.t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(in.t, err)
	in.keep(text)
	if answer != nil && json.Unmarshal(text, answer) != nil {
		in.t.Errorf("%s %s answered no JSON: %.200s", method, path, text)
	}
	return response.StatusCode
}

func (in *testServer) keep(text []byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	f, err := os.OpenFile(in.answers, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(in.t, err)
	defer f.Close()
	_, err = f.Write(append(text, '\n'))
	must(in.t, err)
}

// agentView is the agent's view of one.
type agentView struct {
	ID       string          `json:"execution_id"`
	Status   string          `json:"status"`
	Error    string          `json:"error"`
	Result   json.RawMessage `json:"result"`
	Stdout   string          `json:"stdout"`
	Stderr   string          `json:"stderr"`
	Duration int64           `json:"execution_time_ms"`
}

func (x agentView) terminal() bool {
	switch x.Status {
	case "completed", "error", "timeout", "cancelled":
		return true
	}
	return false
}

// submit sends a script and returns at once.
func (in *testServer) submit(profile, script string, timeout time.Duration) agentView {
	in.t.Helper()
	var x agentView
	if code := in.call(http.MethodPost, "/execute",
		map[string]any{"profile_id": profile, "script": script, "timeout": timeout.Seconds()},
		&x); code != http.StatusAccepted {
		in.t.Fatalf("submit: status %d", code)
	}
	return x
}

// await polls until the execution is terminal.
func (in *testServer) await(x agentView, within time.Duration) agentView {
	in.t.Helper()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); {
		var now agentView
		if in.call(http.MethodGet, "/executions/"+x.ID+"?wait=5", nil, &now) == http.StatusOK && now.terminal() {
			return now
		}
		time.Sleep(20 * time.Millisecond) // awaiting_llm answers at once
	}
	log, _ := os.ReadFile(in.log)
	in.t.Fatalf("the execution has not ended within %s\n%s", within, log[max(0, len(log)-4000):])
	return x
}

// process is one under the server.
type process struct {
	pid   int
	start string // tells it from a later one with the same pid
	line  string
}

func (p process) alive() bool {
	now, err := readProcess(p.pid)
	return err == nil && now.start == p.start
}

// readProcess reads a process; its parent is in field 1 of the rest, its start time in field 19.
func readProcess(pid int) (process, error) {
	fields, err := statOf(pid)
	if err != nil {
		return process{}, err
	}
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return process{pid, fields[19], string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))}, nil
}

func statOf(pid int) ([]string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])), nil
}

// processes returns all processes under the server.
func (in *testServer) processes() []process { return under(in.t, in.server.Process.Pid) }

// under returns all processes below one.
func under(t *testing.T, root int) []process {
	t.Helper()
	children := map[int][]int{}
	entries, err := os.ReadDir("/proc")
	must(t, err)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if fields, err := statOf(pid); err == nil {
			parent, _ := strconv.Atoi(fields[1])
			children[parent] = append(children[parent], pid)
		}
	}
	var found []process
	var walk func(pid int)
	walk = func(pid int) {
		for _, child := range children[pid] {
			if p, err := readProcess(child); err == nil {
				found = append(found, p)
			}
			walk(child)
		}
	}
	walk(root)
	return found
}

// descendants returns pid and command line of all processes under the server, except its plugins.
func (in *testServer) descendants() []string { return boxesUnder(in.t, in.server.Process.Pid) }

func boxesUnder(t *testing.T, server int) []string {
	t.Helper()
	var found []string
	for _, p := range under(t, server) {
		if !strings.Contains(p.line, " plugin ") {
			found = append(found, fmt.Sprintf("%d %s", p.pid, p.line))
		}
	}
	return found
}

func shell(t *testing.T, command ...string) {
	t.Helper()
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits for a state that another process brings about.
func eventually(t *testing.T, within time.Duration, what string, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); {
		if reached() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("not within %s: %s", within, what)
}

// freeAddress returns an address of loopback on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}
