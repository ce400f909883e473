package engine

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/plugins"
)

func TestSubmitRefuses(t *testing.T) {
	w := newWorld(t)
	tests := []struct {
		name   string
		change func(*Submission)
		code   app.Code
	}{
		{"unknown profile", func(s *Submission) { s.ProfileID = app.NewProfileID() }, app.CodeUnauthorized},
		{"no profile", func(s *Submission) { s.ProfileID = "" }, app.CodeUnauthorized},
		{"empty script", func(s *Submission) { s.Script = " \n" }, app.CodeInvalidField},
		{"long script", func(s *Submission) { s.Script = strings.Repeat("x", app.MaxScript+1) }, app.CodeTooLarge},
		{"NUL", func(s *Submission) { s.Script = "print \x00" }, app.CodeInvalidField},
		{"not UTF-8", func(s *Submission) { s.Script = "print \xff" }, app.CodeInvalidField},
		{"long inputs", func(s *Submission) { s.Inputs = json.RawMessage(`"` + strings.Repeat("x", app.MaxInputs) + `"`) }, app.CodeTooLarge},
		{"broken inputs", func(s *Submission) { s.Inputs = json.RawMessage(`{`) }, app.CodeInvalidField},
		{"negative timeout", func(s *Submission) { s.Timeout = -1 }, app.CodeInvalidField},
		{"long idempotency key", func(s *Submission) { s.IdempotencyKey = strings.Repeat("k", 256) }, app.CodeInvalidField},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Submission{ProfileID: w.profile.ID, Script: "result 1", By: agent}
			tt.change(&s)
			_, _, err := w.Submit(t.Context(), s)
			wantCode(t, err, tt.code)
		})
	}
	list, _, err := w.List(t.Context(), Filter{})
	w.must(err)
	if len(list) != 0 {
		t.Errorf("%d executions were stored", len(list))
	}
}

func TestSubmitNeedsALockedProfile(t *testing.T) {
	w := newWorld(t)
	p, err := w.access.CreateProfile(t.Context(), person, "not locked")
	w.must(err)
	_, _, err = w.Submit(t.Context(), Submission{ProfileID: p.ID, Script: "result 1", By: agent})
	wantCode(t, err, app.CodeProfileUnlocked)
}

// A value whose owner sealed it never reaches a script: it gets the placeholder.
func TestSealedIsNotHandedOver(t *testing.T) {
	g := grant{settings: map[string]string{}}
	v := access.Value{Key: "API_KEY", Mode: app.ModeSealed, Secret: app.NewSecret(secretValue), Placeholder: "airlock_sealed_x", Hosts: []app.Host{{Name: "a.example", Ports: []int{443}}}}
	if err := g.add(v); err != nil {
		t.Fatal(err)
	}
	if g.settings["API_KEY"] != v.Placeholder || len(g.injected) != 0 || g.values[0].Mode != app.ModeSealed || len(g.way().Sealed) != 1 {
		t.Errorf("granted %+v", g)
	}
	if err := g.add(access.Value{Key: "OTHER", Mode: "open", Secret: app.NewSecret(secretValue)}); err == nil || len(g.settings) != 1 {
		t.Error("a value of an unknown mode was handed over")
	}
}

func TestTimeoutIsCapped(t *testing.T) {
	w := newWorld(t)
	for given, want := range map[time.Duration]time.Duration{0: time.Minute, time.Second: time.Second, 1e12 * time.Microsecond: app.MaxTimeout} {
		x, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1", Timeout: given, By: agent})
		w.must(err)
		if x.Timeout != want {
			t.Errorf("timeout %v became %v, want %v", given, x.Timeout, want)
		}
		w.until(x, app.StatusCompleted)
	}
}

func TestIdempotency(t *testing.T) {
	now := time.Now()
	var mu sync.Mutex
	w := newWorld(t, func(c *Config) {
		c.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	})
	s := Submission{ProfileID: w.profile.ID, Script: "result 1", IdempotencyKey: "k", By: agent}
	first, replayed, err := w.Submit(t.Context(), s)
	w.must(err)
	if replayed {
		t.Error("the first one is a replay")
	}
	same := s
	same.Timeout = time.Minute // the default, spelled out
	again, replayed, err := w.Submit(t.Context(), same)
	w.must(err)
	if !replayed || again.ID != first.ID {
		t.Errorf("replayed %v, %s and %s", replayed, again.Handle, first.Handle)
	}
	for _, change := range []func(*Submission){
		func(s *Submission) { s.Script = "result 2" },
		func(s *Submission) { s.Timeout = 2 * time.Second },
		func(s *Submission) { s.Inputs = json.RawMessage("null") },
	} {
		other := s
		change(&other)
		_, _, err = w.Submit(t.Context(), other)
		wantCode(t, err, app.CodeIdempotencyReused)
	}
	other := s
	other.ProfileID = w.newProfile().ID // each profile has its own keys
	x, replayed, err := w.Submit(t.Context(), other)
	w.must(err)
	if replayed || x.ID == first.ID {
		t.Error("another profile's execution was returned")
	}
	w.until(first, app.StatusCompleted)
	mu.Lock()
	now = now.Add(app.IdempotencyLife + time.Second)
	mu.Unlock()
	x, replayed, err = w.Submit(t.Context(), s)
	w.must(err)
	if replayed || x.ID == first.ID {
		t.Error("the key outlived its day")
	}
	w.until(x, app.StatusCompleted)
}

// Many clients that retry at once start one execution.
func TestIdempotencyAtOnce(t *testing.T) {
	w := newWorld(t)
	var wg sync.WaitGroup
	ids := make([]string, 16)
	for i := range ids {
		wg.Go(func() {
			x, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1", IdempotencyKey: "k", By: agent})
			if err != nil {
				t.Error(err)
			}
			ids[i] = x.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("different executions: %q", ids)
		}
	}
	w.untilTerminal(app.Execution{ID: ids[0]})
}

func TestQueueFull(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers, c.Queue, c.QueuePerProfile = 1, 3, 2 })
	blocker := w.submit("hang")
	w.untilStatus(blocker, app.StatusRunning)
	w.submit("result 1")
	w.submit("result 1")
	_, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1", By: agent})
	wantCode(t, err, app.CodeQueueFull)
	w.profile = w.newProfile() // others are still served, up to the whole queue
	w.submit("result 1")
	_, _, err = w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1", By: agent})
	wantCode(t, err, app.CodeQueueFull)
	if h := w.Health(); h.Queued != 3 || h.Running != 1 {
		t.Errorf("health %+v", h)
	}
}

// TestAFloodLeavesTheOthersTheirTurn: who has queued ten makes nobody wait for more than one of them, whoever came first.
func TestAFloodLeavesTheOthersTheirTurn(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers = 1 })
	blocker := w.submit("hang")
	w.untilStatus(blocker, app.StatusRunning)
	var flood, others []app.Execution
	for range 10 {
		flood = append(flood, w.submit("result 1"))
	}
	for range 3 {
		w.profile = w.newProfile()
		others = append(others, w.submit("result 1"))
	}
	if _, err := w.Cancel(t.Context(), blocker.ID, agent); err != nil {
		t.Fatal(err)
	}
	first := w.untilStatus(flood[0], app.StatusCompleted)
	for _, x := range others {
		if x = w.untilStatus(x, app.StatusCompleted); x.StartedAt.After(first.StartedAt) {
			t.Errorf("%s of another profile began after the flood went on", x.Handle)
		}
	}
	for i, x := range flood[1:] {
		if x = w.untilStatus(x, app.StatusCompleted); x.StartedAt.Before(first.StartedAt) {
			t.Errorf("number %d of the flood began before its first", i+1)
		}
	}
}

func TestNoSandbox(t *testing.T) {
	notReady := plugins.Report{Name: "fake", Reason: "install bubblewrap"}
	weak := plugins.Report{Name: "fake", Ready: true, Tier: plugins.TierNone}
	long := strings.Repeat("a", maxIdentity+1) // it would go into manifests, and backups with those could not be restored
	lengthy := plugins.Report{Name: "fake", Ready: true, Tier: plugins.TierFull, Runtime: long}
	illustrated := plugins.Report{Name: "fake", Ready: true, Tier: plugins.TierFull, Images: map[string]string{"small": long}}
	for want, report := range map[string]plugins.Report{
		"install bubblewrap": notReady, "too weak": weak, "installed in its boxes is longer": lengthy, `the image "small" or its identity is longer`: illustrated,
	} {
		w := newWorld(t)
		w.must(w.Close(t.Context()))
		w.fake.SetReport(report)
		w.startEngine()
		_, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1", By: agent})
		wantCode(t, err, app.CodeSandboxUnavailable)
		if h := w.Health(); h.Ready || !strings.Contains(h.Reason, want) || !strings.Contains(err.Error(), want) {
			t.Errorf("health %+v, error %v", h, err)
		}
	}
}

func TestScriptForPeopleIsMasked(t *testing.T) {
	w := newWorld(t)
	x := w.submit("print " + secretValue)
	script, err := w.Script(t.Context(), x.Handle)
	w.must(err)
	if diff := cmp.Diff("print [REDACTED...6789]", script); diff != "" {
		t.Error(diff)
	}
	w.until(x, app.StatusCompleted)
}
