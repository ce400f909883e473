package recovery_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// crashScript tells the witness once that it runs, then obeys inputs.
const crashScript = `import socket, time
with socket.create_connection(("witness.test", 80), 15) as s:
    s.sendall(("GET /%s HTTP/1.1\r\nHost: witness.test\r\nX-Token: %s\r\n\r\n"
           % (inputs["nonce"], settings["TOKEN"])).encode())
    answer = s.recv(65536)
if b" 200 " not in answer: raise RuntimeError("the witness did not hear it: %r" % answer)
print("x" * inputs["output"])
time.sleep(inputs["seconds"])
set_result(llm.complete(inputs["nonce"]) if inputs["asks"] else inputs["nonce"])`

// sentScript is one submission, from the client's side.
type sentScript struct {
	nonce, backend string
	asks, cancel   bool
	output         int  // bytes that it prints
	cancelled      bool // the server said so
	calm           bool // submitted when there were no faults any more
	body           []byte
	id             string
	end            []byte // what was answered once it was terminal
	view           e2e.Execution
}

// crashLoad is the clients, who tolerate an absent server.
type crashLoad struct {
	c       *crash
	seed    uint64
	begun   uint64 // how often
	cancel  context.CancelFunc
	clients sync.WaitGroup

	mu       sync.Mutex
	sent     []*sentScript // and accepted
	unknown  []*sentScript // whose answers did not come
	asked    int           // for the fate of how many of these
	statuses map[int]int
}

// loadClients is how many clients submit; there may be maxOpen executions that they no longer wait
// for.
const (
	loadClients = 4
	maxOpen     = 40
)

func newLoad(c *crash, seed uint64) *crashLoad {
	return &crashLoad{c: c, seed: seed, statuses: map[int]int{}, cancel: func() {}}
}

func (l *crashLoad) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	for range loadClients {
		l.begun++
		client := l.begun
		random := rand.New(rand.NewPCG(l.seed, 100+client))
		l.clients.Go(func() {
			for ctx.Err() == nil {
				if len(l.open()) >= maxOpen {
					l.look()
					time.Sleep(100 * time.Millisecond)
					continue
				}
				l.one(ctx, random, client)
			}
		})
	}
}

func (l *crashLoad) end() {
	l.cancel()
	l.clients.Wait()
}

func (l *crashLoad) one(ctx context.Context, random *rand.Rand, client uint64) {
	kind := random.IntN(6)
	s := &sentScript{nonce: fmt.Sprintf("n%d-%x", client, random.Uint64()),
		backend: e2e.Backends()[random.IntN(len(e2e.Backends()))], asks: kind == 1,
		cancel: kind == 2, calm: l.c.noFaults.Load()}
	inputs := map[string]any{"nonce": s.nonce, "output": 0, "seconds": 0.0, "asks": s.asks}
	switch kind {
	case 2:
		inputs["seconds"] = 15
	case 3:
		inputs["seconds"] = random.Float64()
	case 4:
		s.output = 20_000
	}
	inputs["output"] = s.output
	l.c.witness.Expect(s.nonce)
	var err error
	if s.body, err = json.Marshal(
		map[string]any{"profile_id": l.c.profiles[s.backend], "script": crashScript, "inputs": inputs,
			"timeout": 20}); err != nil {
		l.c.t.Error(err)
		return
	}
	if !l.insist(ctx, s) {
		return
	}
	for until := time.Now().Add(2 * time.Second); time.Now().Before(until) && ctx.Err() == nil && !l.follow(s); {
		time.Sleep(30 * time.Millisecond)
	}
}

// insist submits with an idempotency key until a definite answer; true if accepted. Without one it
// may have been accepted.
func (l *crashLoad) insist(ctx context.Context, s *sentScript) bool {
	for try := range 40 {
		code, text := l.ask(http.MethodPost, "/execute", s.body, s.nonce)
		l.mu.Lock()
		l.statuses[code]++
		l.mu.Unlock()
		switch {
		case code == http.StatusAccepted && json.Unmarshal(text, &s.view) == nil:
			s.id = s.view.ID
			if !strings.HasPrefix(s.id, "exec_") {
				l.c.t.Errorf("a good script was accepted with %s", text)
			}
			l.mu.Lock()
			l.sent = append(l.sent, s)
			l.mu.Unlock()
			return true
		case code == http.StatusServiceUnavailable, code == 0:
		case code == http.StatusInternalServerError && l.c.unwell(): // what fails for a reason that nobody has a word for
		default: // the queue has room for all that these clients have open
			l.c.t.Errorf("a good script was answered with %d %s", code, text)
			return false
		}
		if ctx.Err() != nil && try > 5 {
			break
		}
		time.Sleep(250 * time.Millisecond)
	}
	l.mu.Lock()
	l.unknown = append(l.unknown, s)
	l.mu.Unlock()
	return false
}

// askAgain resubmits the unanswered under the same key: each is accepted now or was, and must end.
func (l *crashLoad) askAgain() {
	unknown := l.unknown
	l.unknown = nil
	for _, s := range unknown {
		l.asked++
		if !l.insist(context.Background(), s) {
			l.c.t.Errorf("%s, which had no answer, has none from a server that is well", s.nonce)
		}
	}
}

// follow looks at an execution, and may answer or cancel it; true once it has ended. What was
// accepted is never unknown.
func (l *crashLoad) follow(s *sentScript) bool {
	code, text := l.ask(http.MethodGet, "/executions/"+s.id, nil, "")
	if code == http.StatusNotFound {
		l.c.t.Errorf("%s was accepted and is not known any more", s.nonce)
		return true
	}
	var view e2e.Execution
	if code != http.StatusOK || json.Unmarshal(text, &view) != nil {
		return false
	}
	switch {
	case view.Terminal():
		l.ended(s, view, text)
		return true
	case view.Status == "awaiting_llm" && s.asks:
		answer, _ := json.Marshal(map[string]any{"response": s.nonce})
		l.ask(http.MethodPost, "/executions/"+s.id+"/respond", answer, "")
	case s.cancel && view.Status == "running":
		if code, _ := l.ask(http.MethodPost, "/executions/"+s.id+"/cancel", nil, ""); code == http.StatusOK {
			l.mu.Lock()
			s.cancelled = true
			l.mu.Unlock()
		}
	case view.Status == "pending" || view.Status == "running":
	default:
		l.c.t.Errorf("%s is %s", s.nonce, text)
	}
	return false
}

// ended keeps the end, which must never change.
func (l *crashLoad) ended(s *sentScript, view e2e.Execution, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.end == nil {
		s.end, s.view = bytes.Clone(text), view
		return
	}
	if !bytes.Equal(s.end, text) {
		l.c.t.Errorf("the end of %s changed:\n%s\n%s", s.nonce, s.end, text)
	}
}

func (l *crashLoad) open() []*sentScript {
	l.mu.Lock()
	defer l.mu.Unlock()
	var open []*sentScript
	for _, s := range l.sent {
		if s.end == nil {
			open = append(open, s)
		}
	}
	return open
}

// look follows everything that is open.
func (l *crashLoad) look() {
	for _, s := range l.open() {
		l.follow(s)
	}
}

func (l *crashLoad) settle() {
	t := l.c.t
	t.Helper()
	l.askAgain()
	for deadline := time.Now().Add(3 * time.Minute); len(l.open()) > 0; time.Sleep(100 * time.Millisecond) {
		l.look()
		if time.Now().After(deadline) {
			for _, s := range l.open() {
				_, text := l.ask(http.MethodGet, "/executions/"+s.id, nil, "")
				t.Errorf("%s on %s has not ended: %s", s.nonce, s.backend, text)
			}
			t.Fatalf("%s", l.c.logTail())
		}
	}
	for _, s := range l.sent {
		if !l.follow(s) {
			t.Errorf("%s, which had ended, could not be read", s.nonce)
		}
		l.judge(s)
	}
	l.witnessed()
}

// witnessed checks the witness: nothing twice, and no forbidden credential.
func (l *crashLoad) witnessed() {
	t := l.c.t
	t.Helper()
	for _, what := range l.c.witness.Problems() {
		t.Error(what)
	}
	l.c.witness.Mu.Lock()
	defer l.c.witness.Mu.Unlock()
	for nonce, n := range l.c.witness.Seen {
		if n > 1 {
			t.Errorf("%s ran %d times", nonce, n)
		}
	}
}

// again checks all ends once more, after starting an idle server.
func (l *crashLoad) again() {
	l.c.t.Helper()
	for _, s := range l.sent {
		if !l.follow(s) {
			l.c.t.Errorf("%s, which had ended, could not be read", s.nonce)
		}
		l.judge(s)
	}
}

// judge compares Airlock's account with the client's and the witness's.
func (l *crashLoad) judge(s *sentScript) {
	n := l.c.witness.Count(s.nonce)
	var end struct {
		ID        string     `json:"execution_id"`
		Result    string     `json:"result"`
		StartedAt *time.Time `json:"started_at"`
		EndedAt   *time.Time `json:"completed_at"`
		Network   []struct{ Host, Verdict string }
	}
	if err := json.Unmarshal(s.end, &end); err != nil {
		l.c.t.Errorf("%s: %v", s.end, err)
	}
	wrong := func(what string) {
		l.c.t.Errorf("%s on %s: %s; it ran %d times: %s\n%s", s.nonce, s.backend, what, n, s.end,
			l.c.logOfFailures(end.EndedAt))
	}
	if end.ID != s.id || end.EndedAt == nil {
		wrong("that is not its end")
	}
	if end.StartedAt == nil && n > 0 { // an agent that is told so would send it again
		wrong("it ran, and was never started")
	}
	if s.cancelled && s.view.Status != "cancelled" {
		wrong("it was cancelled, and ended otherwise")
	}
	switch s.view.Status {
	case "completed":
		if n != 1 || end.Result != s.nonce || s.view.Stdout != strings.Repeat("x", s.output)+"\n" || s.view.Stderr != "" ||
			s.view.Error != "" || len(end.Network) != 1 || end.Network[0].Host != "witness.test" ||
			end.Network[0].Verdict != "allowed" {
			wrong("completed with something else than it did")
		}
	case "cancelled":
		if !s.cancel {
			wrong("nobody cancelled it")
		}
	default:
		if !crashEnds.MatchString(s.view.Error) || s.calm && !(s.asks && strings.HasPrefix(s.view.Error, "no answer came ")) {
			wrong("no fault explains that")
		}
		if n > 0 && strings.HasPrefix(s.view.Error, "the script was not run: ") {
			wrong("it did run")
		}
	}
}

// crashEnds are the errors that faults end executions in.
var crashEnds = regexp.MustCompile(
	`^(interrupted: Airlock |the sandbox (was lost|failed) while the script ran[:;] |` +
		`the sandbox ended before the script did;|the script was ended by signal 9 |` +
		`the script was not run: |no sandbox |no answer came to the question llm_|the script ran longer than its timeout|` +
		`airlock\.llm\.Error: the question could not be stored)`)

// ask makes a request; 0 without a whole answer.
func (l *crashLoad) ask(method, path string, body []byte, key string) (int, []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, l.c.in.URL+path, bytes.NewReader(body))
	if err != nil {
		l.c.t.Error(err)
		return 0, nil
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, text
}

// report prints the outcome. A run that completed little has tested little.
func (l *crashLoad) report() {
	ends, backends := map[string]int{}, map[string]int{}
	completed := 0
	for _, s := range l.sent {
		what := s.view.Status
		if what == "completed" {
			completed++
			backends[s.backend]++
		} else {
			what += ": " + s.view.Error[:min(len(s.view.Error), 90)]
		}
		ends[what]++
	}
	t := l.c.t
	t.Logf("%d accepted, %d of them after no answer had come; answers to submissions: %v; completed by backend: %v",
		len(l.sent), l.asked, l.statuses, backends)
	var list []string
	for what, n := range ends {
		list = append(list, fmt.Sprintf("%6d %s", n, what))
	}
	slices.Sort(list)
	t.Logf("ends:\n%s", strings.Join(list, "\n"))
	if completed < len(l.sent)/5 || len(backends) < len(e2e.Backends()) {
		t.Errorf("only %d of %d were completed, on %v", completed, len(l.sent), backends)
	}
}
