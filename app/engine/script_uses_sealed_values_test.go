package engine_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/egress/ca"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/plugins"
)

// assembled keeps its text out of every file.
func assembled() string {
	return strings.Join([]string{"sealed", "k3y", "that", "no", "script", "sees"}, "-")
}

type pipeTap struct {
	plugins.Sandbox
	mu   sync.Mutex
	seen bytes.Buffer
}

func (p *pipeTap) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.Write(b)
}

func (p *pipeTap) Run(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	return p.Sandbox.Run(ctx, spec, io.TeeReader(stdin, p), io.MultiWriter(stdout, p))
}

func (p *pipeTap) holds(text []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Contains(p.seen.Bytes(), text)
}

// echo is a TLS service that repeats requests and remembers Authorization headers.
type echo struct {
	mu  sync.Mutex
	got []string
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	e.got = append(e.got, r.Header.Get("Authorization"))
	e.mu.Unlock()
	w.Header().Set("X-Echo", r.Header.Get("Authorization"))
	_ = json.NewEncoder(w).Encode(
		map[string]any{"authorization": r.Header.Get("Authorization"), "url": r.URL.String(), "body": string(body)})
}

// taken returns and forgets the recorded headers.
func (e *echo) taken() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	got := e.got
	e.got = nil
	return got
}

// sealedWorld has a profile whose key TOKEN is sealed for api.example.com:443. An echo service
// answers there, under its own certificate authority.
func sealedWorld(t *testing.T) (*world, *echo, *pipeTap) {
	t.Helper()
	e := &echo{}
	w, tap, start := worldBefore(t, e)
	start()
	w.Profile = w.sealedProfile()
	return w, e, tap
}

// worldBefore serves api.example.com:443 and other.example.com:443 by one service. start starts its
// engine with real boxes, all of whose pipes are tapped.
func worldBefore(
	t *testing.T, service http.Handler, change ...func(*engine.Config),
) (w *world, tap *pipeTap, start func()) {
	t.Helper()
	upstream, err := ca.New(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"api.example.com", "other.example.com"}
	server := httptest.NewUnstartedServer(service)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	for _, name := range names {
		leaf, err := upstream.Leaf(name)
		if err != nil {
			t.Fatal(err)
		}
		server.TLS.Certificates = append(server.TLS.Certificates, *leaf)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(upstream.Certificate())
	local := map[string]netip.AddrPort{}
	for _, name := range names {
		local[name+":443"] = server.Listener.Addr().(*net.TCPAddr).AddrPort()
	}
	w = newUnstarted(t)
	tap = &pipeTap{}
	return w, tap, func() {
		authority, err := w.Access.Authority.Get(t.Context())
		w.Must(err)
		w.StartEngine(withBubblewrap(t, "engine-"+app.NewID()), func(c *engine.Config) {
			tap.Sandbox, c.Sandboxes[0].Backend = c.Sandboxes[0].Backend, tap
			for _, f := range change {
				f(c)
			}
			c.CA = slices.Concat(authority.Certificate(), upstream.Certificate())
			c.Gateway = egress.New(egress.Config{Authority: authority, Roots: roots, LocalServices: local,
				Known: w.Access.SearchSets.ValuesFor})
		})
	}
}

func (w *world) sealedProfile() app.Profile {
	w.T.Helper()
	ctx := w.T.Context()
	host, err := app.ParseHost("api.example.com:443")
	w.Must(err)
	other, err := app.ParseHost("other.example.com:443")
	w.Must(err)
	_, err = w.Access.Credentials.Set(ctx, enginetest.Person,
		credentials.Input{Name: "TOKEN", Hosts: []app.Host{host}, Value: app.NewSecret(assembled())})
	w.Must(err)
	p, err := w.Access.Profiles.Create(ctx, enginetest.Person, "sealed")
	w.Must(err)
	_, err = w.Access.Keys.Add(ctx, enginetest.Person, p.Handle, []app.Key{{Name: "TOKEN"}})
	w.Must(err)
	_, err = w.Access.Keys.Link(ctx, enginetest.Person, p.Handle, "TOKEN", "TOKEN")
	w.Must(err)
	_, err = w.Access.Hosts.Set(ctx, enginetest.Person, p.Handle, []app.Host{host, other}, nil)
	w.Must(err)
	p, err = w.Access.Lifecycle.Lock(ctx, enginetest.Person, p.Handle, time.Time{})
	w.Must(err)
	return p
}

// The usual clients use a sealed key like its value. The service gets the value; the script gets
// its placeholder back.
func TestSealedReachesItsHostOnly(t *testing.T) {
	t.Parallel()
	w, e, tap := sealedWorld(t)
	x, out := w.Finished(`
import json, subprocess, urllib.request
import httpx, requests, urllib3
token = settings.get("TOKEN")
headers = {"Authorization": "Bearer " + token}
url = "https://api.example.com/me?q=1"
answers = {
    "httpx": httpx.get(url, headers=headers).json(),
    "requests": requests.get(url, headers=headers).json(),
    "urllib": json.load(urllib.request.urlopen(urllib.request.Request(url, headers=headers))),
    "urllib3": json.loads(urllib3.PoolManager().request("GET", url, headers=headers).data),
    "curl": json.loads(subprocess.run(["curl", "-sS", "-H", "Authorization: Bearer " + token, url], check=True, capture_output=True).stdout),
    "basic": requests.get(url, auth=("user", token)).json(),
}
refused = httpx.get("https://api.example.com/?key=" + token)
print("token", token)
set_result({
    "token": token,
    "mine": {name: a["authorization"] == "Bearer " + token for name, a in answers.items() if name != "basic"},
    "elsewhere": refused.status_code,
    "code": refused.json()["error"]["code"],
    "length": len(token),
})
`, app.StatusCompleted)
	if !strings.Contains(out.Stdout, "token [SEALED:TOKEN]") {
		t.Errorf("printed %q", out.Stdout)
	}
	var result struct {
		Token     string
		Mine      map[string]bool
		Elsewhere int
		Code      string
		Length    int
	}
	if err := json.Unmarshal(out.Result, &result); err != nil {
		t.Fatalf("%s %v; stderr %s", out.Result, err, out.Stderr)
	}
	if diff := cmp.Diff(map[string]bool{"httpx": true, "requests": true, "urllib": true, "urllib3": true, "curl": true},
		result.Mine); diff != "" {
		t.Error(diff)
	}
	if result.Token != "[SEALED:TOKEN]" {
		t.Errorf("returned %q", result.Token)
	}
	if result.Elsewhere != http.StatusForbidden || result.Code == "" || result.Length != swap.PlaceholderLength {
		t.Errorf("in a place that is not ticked: %+v", result)
	}
	want := slices.Repeat([]string{"Bearer " + assembled()}, 5)
	want = append(want, "Basic "+base64.StdEncoding.EncodeToString([]byte("user:"+assembled())))
	if diff := cmp.Diff(want, e.got); diff != "" {
		t.Errorf("the service got:\n%s", diff)
	}
	if len(x.Injected) != 0 {
		t.Errorf("injected %v", x.Injected)
	}
	rows, err := w.Reader.Network(t.Context(), x.Handle)
	w.Must(err)
	swapped := 0
	for _, r := range rows {
		if slices.Contains(r.Credentials, "TOKEN") && r.Status == http.StatusOK && r.Method == "GET" &&
			r.Path == "/me?q=1" &&
			r.Line > 0 {
			swapped++
		}
	}
	if swapped != 6 {
		t.Errorf("ledger %+v", rows)
	}
	if tap.holds([]byte(assembled())) || !tap.holds([]byte("/etc/ssl/certs")) && !tap.holds([]byte("httpx")) {
		t.Error("the pipe held the value, or was not looked at")
	}
	w.nowhereAtRest()
}

// F18 and F19: a script knows only the placeholder. So it can't leak the value by derivation, exit
// code, time or row count.
func TestSealedCanNotBeDerivedFrom(t *testing.T) {
	t.Parallel()
	w, e, _ := sealedWorld(t)
	_, out := w.Finished(`
import hashlib, hmac, httpx
token = settings.get("TOKEN").encode()
answer = httpx.get("https://api.example.com/", headers={"Authorization": b"Bearer " + token}).json()["authorization"].encode().removeprefix(b"Bearer ")
set_result([{
    "sha256": hashlib.sha256(one).hexdigest(), "hmac": hmac.new(b"key", one, "sha256").hexdigest(), "first": "-".join(str(b) for b in one[:6]),
    "xor": bytes(b ^ 0x55 for b in one).hex(), "sum": sum(one), "length": len(one), "letter": one[0],
} for one in (token, answer)])
`, app.StatusCompleted)
	if diff := cmp.Diff([]string{"Bearer " + assembled()}, e.taken()); diff != "" {
		t.Fatalf("the service got\n%s", diff)
	}
	value := []byte(assembled())
	xor, sum := slices.Clone(value), 0
	for i, b := range value {
		xor[i], sum = b^0x55, sum+int(b)
	}
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write(value)
	hash := sha256.Sum256(value)
	type derived struct {
		SHA256, HMAC, First, XOR string
		Sum, Length, Letter      int
	}
	ofValue := derived{hex.EncodeToString(hash[:]), hex.EncodeToString(mac.Sum(nil)), "115-101-97-108-101-100",
		hex.EncodeToString(xor), sum, len(value), int(value[0])}
	var got []derived
	if err := json.Unmarshal(out.Result, &got); err != nil || len(got) != 2 {
		t.Fatalf("%s %v", out.Result, err)
	}
	if got[0] != got[1] {
		t.Errorf("what came back is not what was sent: %+v", got)
	}
	if g := got[0]; g.SHA256 == ofValue.SHA256 || g.HMAC == ofValue.HMAC || g.First == ofValue.First ||
		g.XOR == ofValue.XOR || g.Sum == ofValue.Sum || g.Length == ofValue.Length || g.Letter == ofValue.Letter {
		t.Errorf("the script could work on the value: %+v", g)
	}
}

// nowhereAtRest looks for the value in the data directory and in the API's answers.
func (w *world) nowhereAtRest() {
	w.T.Helper()
	w.Must(filepath.WalkDir(w.Dir, func(path string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, form := range forms() {
			if bytes.Contains(data, form) {
				w.T.Errorf("%s holds the value", path)
			}
		}
		return err
	}))
}

func forms() [][]byte {
	v := assembled()
	return [][]byte{[]byte(v), []byte(base64.StdEncoding.EncodeToString([]byte(v)))[:24],
		[]byte(hex.EncodeToString([]byte(v)))}
}

// No process of the box holds a sealed value, also while its script uses it.
func TestSealedIsNowhereInTheBox(t *testing.T) {
	w, e, _ := sealedWorld(t)
	x := w.Send(`
import httpx
r = httpx.get("https://api.example.com/", headers={"Authorization": "Bearer " + settings.get("TOKEN")})
kept = r.text, dict(r.headers), r.request.headers
print("used", r.status_code, flush=True)
import time
time.sleep(60)
`)
	w.UntilPrinted(x, "used 200")
	if len(e.got) != 1 || e.got[0] != "Bearer "+assembled() {
		t.Fatalf("the service got %d requests", len(e.got))
	}
	profile, policy, err := w.Access.Binder.ReadBound(t.Context(), w.Profile.Handle)
	w.Must(err)
	values, err := w.Access.Resolver.Resolve(t.Context(), profile.Handle, policy)
	w.Must(err)
	placeholder := []byte(values[0].Placeholder)
	processes, regions, found := 0, 0, false
	for _, pid := range descendants(t, os.Getpid()) {
		processes++
		for _, name := range []string{"environ", "cmdline"} {
			data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
			if bytes.Contains(data, []byte(assembled())) {
				t.Errorf("process %d has it in %s", pid, name)
			}
		}
		eachRegion(t, pid, func(where string, data []byte) {
			regions++
			found = found || bytes.Contains(data, placeholder)
			for _, form := range forms() {
				if bytes.Contains(data, form) {
					t.Errorf("process %d holds the value in %s", pid, where)
				}
			}
		})
	}
	if processes < 3 || regions < 50 || !found {
		t.Errorf("%d processes and %d regions were read, the placeholder was found: %v", processes, regions, found)
	}
	_, err = w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
	w.Must(err)
}

// descendants returns the processes below one.
func descendants(t *testing.T, root int) []int {
	t.Helper()
	children := map[int][]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		stat, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		pid, _ := strconv.Atoi(strings.Split(f, "/")[2])
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], pid)
	}
	var all []int
	for queue := children[root]; len(queue) > 0; queue = queue[1:] {
		all = append(all, queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return all
}

func eachRegion(t *testing.T, pid int, see func(where string, data []byte)) {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Errorf("process %d can't be read: %v", pid, err)
		return
	}
	defer memory.Close()
	for line := range strings.Lines(string(maps)) {
		var from, to int64
		var rights string
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &from, &to, &rights); n != 3 || rights[0] != 'r' || to-from > 256<<20 {
			continue
		}
		data := make([]byte, to-from)
		n, _ := memory.ReadAt(data, from) // some regions can't be read by anybody
		see(strings.TrimSpace(line), data[:n])
	}
}

// Removals from a credential count at once, also on an open connection.
func TestSealedIsTakenFromWhatRuns(t *testing.T) {
	t.Parallel()
	w, e, _ := sealedWorld(t)
	x := w.Send(`
import httpx
with httpx.Client() as client:
    get = lambda: client.get("https://api.example.com/", headers={"Authorization": "Bearer " + settings.get("TOKEN")}).status_code
    before = get()
    llm.complete("go")
    try:
        after = get()
    except httpx.HTTPError as error:
        after = type(error).__name__
set_result([before, after])
`)
	w.Until(x, app.StatusAwaitingLLM)
	host, err := app.ParseHost("moved.example.com")
	w.Must(err)
	w.untilRestricted(func() {
		_, err := w.Access.Credentials.Set(t.Context(), enginetest.Person,
			credentials.Input{Name: "TOKEN", Hosts: []app.Host{host}})
		w.Must(err)
	})
	w.AnswerGo(x)
	x = w.Until(x, app.StatusCompleted)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if string(out.Result) != "[200,403]" || len(e.got) != 1 {
		t.Errorf("result %s; the service got %d requests", out.Result, len(e.got))
	}
	_, _, err = w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "set_result(1)", By: enginetest.Agent})
	w.Must(err)
}

// Additions to a credential (a new value, another mode) are for later executions. Running ones keep
// value and placeholder.
func TestSealedStaysAsItBegan(t *testing.T) {
	t.Parallel()
	w, e, _ := sealedWorld(t)
	const ask = `
import httpx
get = lambda: httpx.get("https://api.example.com/", headers={"Authorization": "Bearer " + settings.get("TOKEN")}).json()["authorization"]
began = settings.get("TOKEN")
before = get()
llm.complete("go")
set_result([before == get() == "Bearer " + began, began.startswith("airlock_sealed_")])
`
	second := rotated()
	changes := []credentials.Input{{Name: "TOKEN", Value: app.NewSecret(second)},
		{Name: "TOKEN", Mode: app.ModeInjected}}
	for i, value := range []string{assembled(), second} {
		x := w.Until(w.Send(ask), app.StatusAwaitingLLM)
		w.untilRestricted(func() {
			_, err := w.Access.Credentials.Set(t.Context(), enginetest.Person, changes[i])
			w.Must(err)
		})
		w.AnswerGo(x)
		x = w.Until(x, app.StatusCompleted)
		out, err := w.Reader.Output(t.Context(), x.Handle)
		w.Must(err)
		if string(out.Result) != "[true,true]" {
			t.Errorf("%d: result %s", i, out.Result)
		}
		if diff := cmp.Diff([]string{"Bearer " + value, "Bearer " + value}, e.taken()); diff != "" {
			t.Errorf("%d: the service got\n%s", i, diff)
		}
	}
}

// untilRestricted calls do and waits until running executions obey.
func (w *world) untilRestricted(do func()) {
	do()
	w.Runner.ApplyRevocations()
}
