package soak_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// Limits of time on a busy machine.
const (
	slowest    = 60 * time.Second // an answer
	soakLength = 3 * time.Minute  // an execution
)

// soakView is an execution as its agent sees it.
type soakView struct {
	e2e.Execution
	PollURL    string           `json:"poll_url"`
	Paused     bool             `json:"paused"`
	Line       int              `json:"error_line"`
	Redactions int              `json:"redactions"`
	Truncated  bool             `json:"truncated"`
	Network    []soakConnection `json:"network"`
	Injected   []string         `json:"injected"`
	StartedAt  *time.Time       `json:"started_at"`
	EndedAt    *time.Time       `json:"completed_at"`
	Backend    string           `json:"backend"`
	Timings    struct {
		Run int64 `json:"run_ms"`
		LLM int64 `json:"llm_ms"`
	} `json:"timings"`
	Request *struct {
		ID     string `json:"request_id"`
		Prompt string `json:"prompt"`
	} `json:"llm_request"`
}

// run submits a script and follows it to the end of its kind.
func (s *soaker) run(kind soakKind) {
	n := s.books.number()
	x, ok := s.submit(kind, n)
	if !ok {
		time.Sleep(time.Second)
		return
	}
	id, wanted := x.ID, kind.end(n)
	s.newest.Store(id)
	if kind.cancel == "pending" {
		s.act(kind, n, id, "cancel")
	}
	heard := false // the witness has, before the last call
	for deadline := time.Now().Add(soakLength); ; {
		began := time.Now()
		text, ok := s.ask(http.MethodGet, "/executions/"+id+"?wait=1", nil, "", http.StatusOK, &x)
		switch {
		case time.Now().After(deadline):
			s.wrong("%s, %s: it has not ended after %s: %s", kind.name, n, soakLength, text)
			return
		case !ok:
			time.Sleep(time.Second)
			continue
		case x.ID != id:
			s.wrong("%s, %s was asked for as %s: %s", kind.name, n, id, text)
			return
		case x.Terminal():
			s.ended(kind, n, x, wanted, text)
			return
		case x.Paused || x.Status != "pending" && x.Status != "running" && !(x.Status == "awaiting_llm" && wanted.asked):
			s.wrong("%s, %s is %s: %s", kind.name, n, x.Status, text)
		case x.Status != "awaiting_llm" && time.Since(began) < 900*time.Millisecond:
			s.wrong("%s, %s: a call that was to wait for a second was answered after %s: %s", kind.name, n, time.Since(began),
				text)
		}
		if heard || x.Status != "running" {
			s.during(kind, n, x)
		}
		heard = s.witness.Count(n) > 0
	}
}

// during does what the client of an execution does while it has not ended.
func (s *soaker) during(kind soakKind, n string, x soakView) {
	if x.Status == "awaiting_llm" && (x.Request == nil || x.Request.Prompt != n) {
		s.wrong("%s, %s asks: %+v", kind.name, n, x.Request)
	}
	switch {
	case kind.cancel == x.Status:
		s.act(kind, n, x.ID, "cancel")
	case x.Status == "awaiting_llm" && kind.answered:
		time.Sleep(soakThought)
		s.act(kind, n, x.ID, "respond")
	case x.Status == "awaiting_llm":
		time.Sleep(100 * time.Millisecond) // or it would be asked without pause
	}
}

// submit sends a script; the answer has to name its poll path. A second one with the same key must
// be the first.
func (s *soaker) submit(kind soakKind, n string) (x soakView, ok bool) {
	body := map[string]any{"profile_id": s.profile, "script": kind.script, "inputs": map[string]string{"n": n},
		"timeout": 20}
	if kind.timeout > 0 {
		body["timeout"] = kind.timeout
	}
	text, ok := s.ask(http.MethodPost, "/execute", body, n, http.StatusAccepted, &x)
	if !ok {
		return x, false
	}
	if !strings.HasPrefix(x.ID, "exec_") || !strings.HasSuffix(x.PollURL, "/executions/"+x.ID) ||
		x.Status != "pending" && x.Status != "running" {
		s.wrong("%s, %s was accepted with %s", kind.name, n, text)
		return x, false
	}
	s.books.accepted(kind.name, n, x.ID)
	if kind.twice {
		var again soakView
		if text, ok := s.ask(http.MethodPost, "/execute", body, n, http.StatusAccepted, &again); ok && again.ID != x.ID {
			s.wrong("%s, %s is %s, and when it was sent again %s", kind.name, n, x.ID, text)
		}
	}
	return x, true
}

// act cancels or answers. Both stand once the answer is there.
func (s *soaker) act(kind soakKind, n, id, what string) {
	var body any
	if what == "respond" {
		body = map[string]any{"response": soakAnswer(n)}
	}
	var x soakView
	text, ok := s.ask(http.MethodPost, "/executions/"+id+"/"+what, body, "", http.StatusOK, &x)
	if ok && (x.ID != id || what == "cancel" && x.Status != "cancelled" ||
		what == "respond" && x.Status != "running" && x.Status != "completed") {
		s.wrong("%s, %s: %s was answered with %s", kind.name, n, what, text)
	}
}

func (s *soaker) ended(kind soakKind, n string, x soakView, wanted soakEnd, text []byte) {
	s.books.ended(kind.name, x.ID, x.Status, sha256.Sum256(text))
	got := soakEnd{Status: x.Status, Result: string(x.Result), Stdout: x.Stdout, Stderr: x.Stderr, Error: x.Error,
		Line: x.Line, Redactions: x.Redactions, Truncated: x.Truncated, Network: x.Network}
	if beginning, open := strings.CutSuffix(wanted.Error, "…"); open && strings.HasPrefix(got.Error, beginning) {
		got.Error = wanted.Error
	}
	got.asked, got.ran, got.waited, got.unsent = wanted.asked, wanted.ran, wanted.waited, wanted.unsent
	if !reflect.DeepEqual(got, wanted) {
		s.wrong("%s, %s ended as %s, want %+v", kind.name, n, text, wanted)
	}
	ran, waited := time.Duration(x.Timings.Run)*time.Millisecond, time.Duration(x.Timings.LLM)*time.Millisecond
	if ran < wanted.ran || waited < wanted.waited || !wanted.asked && waited > 0 || x.EndedAt == nil ||
		!wanted.unsent && (x.StartedAt == nil || x.Backend != *soakSandbox) || x.ID == "" {
		s.wrong("%s, %s: ran for %s, want %s or more; waited for %s, want %s or more; %s", kind.name, n, ran, wanted.ran,
			waited, wanted.waited, text)
	}
}

// ask makes a call that must get this status and JSON. Otherwise it reports that and returns ok
// false.
func (s *soaker) ask(method, path string, body any, key string, status int, answer any) (text []byte, ok bool) {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		e2e.Must(s.t, err)
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.in.URL+path, reader)
	e2e.Must(s.t, err)
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := s.agent.Do(request)
	if err != nil {
		s.wrong("%s %s: %v", method, path, err)
		return nil, false
	}
	defer response.Body.Close()
	if text, err = io.ReadAll(response.Body); err == nil && response.StatusCode != status {
		err = fmt.Errorf("status %d, want %d", response.StatusCode, status)
	}
	if err == nil {
		reset(answer)
		err = json.Unmarshal(text, answer)
	}
	if err != nil {
		s.wrong("%s %s: %v: %.500s", method, path, err, text)
	}
	return text, err == nil
}

// reset clears an answer's target, so missing fields don't keep old values.
func reset(answer any) { reflect.ValueOf(answer).Elem().SetZero() }
