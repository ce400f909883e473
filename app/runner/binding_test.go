package runner_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// interposed is a world that can act after a submission has read its profile.
type interposed struct {
	*world
	next atomic.Pointer[func()]
}

func newInterposed(t *testing.T, change ...func(*engine.Config)) *interposed {
	t.Helper()
	w := &interposed{}
	w.world = newWorld(t, append(change, func(c *engine.Config) {
		c.Patterns = func(string) []redact.Match { // called for the script first
			if do := w.next.Swap(nil); do != nil {
				(*do)()
			}
			return nil
		}
	})...)
	return w
}

// submitAround submits a script and calls do between reading its profile and storing it.
func (w *interposed) submitAround(do func(), script string) (app.Execution, error) {
	w.T.Helper()
	w.AwaitWarm(2)
	w.next.Store(&do)
	x, _, err := w.Submitter.Submit(w.T.Context(), executions.Submission{ProfileID: w.Profile.ID, Script: script,
		By: enginetest.Agent})
	if w.next.Load() != nil {
		w.T.Fatal("nothing came in between")
	}
	return x, err
}

func (w *world) uses(credential string) int64 {
	w.T.Helper()
	c, err := w.Access.Credentials.ByName(w.T.Context(), credential)
	w.Must(err)
	return c.Uses
}

// A submission with a ready box is bound by the commit that stores it. No other write precedes its
// script.
func TestBoundWithTheCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.AwaitWarm(2)
	x := w.Send("setting API_KEY\nhang")
	var now store.Execution
	w.Must(w.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
		now, err = tx.Executions.ByHandle(t.Context(), x.Handle)
		return err
	}))
	if now.Status != app.StatusRunning || now.Backend != "fake" || !now.Warm || now.StartedAt.IsZero() ||
		now.Policy != 1 || len(now.Injected) != 1 || now.Injected[0] != "API_KEY" {
		t.Errorf("stored as %+v", now)
	}
	if x.Status != app.StatusPending || x.Backend != "" {
		t.Errorf("told as %+v", x)
	}
	if uses := w.uses("API_KEY"); uses != 1 {
		t.Errorf("the credential was used %d times", uses)
	}
	_, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
	w.Must(err)
	w.UntilStatus(x, app.StatusCancelled)
	w.AwaitWarm(2)
}

// Policy and values are those of the commit, however long the script's check took.
func TestWhatChangedAfterASubmissionWasReadCounts(t *testing.T) {
	t.Parallel()
	w := newInterposed(t)
	x, err := w.submitAround(func() {
		w.untilReviewed(func() { w.Allow("api.example.com") })
		w.untilReviewed(func() {
			_, err := w.Access.Credentials.Set(t.Context(), enginetest.Person,
				credentials.Input{Name: "DB_HOST", Mode: app.ModePlain, Value: app.NewSecret("new.example.com")})
			w.Must(err)
		})
	}, "setting DB_HOST")
	w.Must(err)
	x = w.Until(x, app.StatusCompleted)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if x.Policy != 2 || out.Stdout != "new.example.com\n" {
		t.Errorf("policy %d, stdout %q", x.Policy, out.Stdout)
	}
}

// A decision from before the execution was known to run is looked up again: nobody reported it.
func TestADecisionAroundTheCommitCounts(t *testing.T) {
	t.Parallel()
	var armed atomic.Bool
	var w *world
	w = newWorld(t, func(c *engine.Config) {
		c.Now = func() time.Time { // which is looked at after the decisions that count for the commit
			if armed.Load() {
				w.Runner.AddDecision()
			}
			return time.Now()
		}
	})
	w.AwaitWarm(2)
	armed.Store(true)
	x := w.Send("setting DB_HOST")
	x = w.Until(x, app.StatusCompleted)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if out.Stdout != "db.example.com\n" {
		t.Errorf("stdout %q", out.Stdout)
	}
	if uses := w.uses("DB_HOST"); uses != 2 {
		t.Errorf("its values were read %d times: it was not bound again", uses)
	}
	w.AwaitWarm(2)
}

// A submission with a slow check lost its box and counted its values twice when anybody created a
// profile.
func TestDecisionsOfOthersCostNoBox(t *testing.T) {
	t.Parallel()
	w := newInterposed(t)
	x, err := w.submitAround(func() { w.Runner.AddDecision() }, "setting DB_HOST")
	w.Must(err)
	x = w.Until(x, app.StatusCompleted)
	if uses := w.uses("DB_HOST"); uses != 1 || !x.Warm {
		t.Errorf("its values were read %d times; warm is %v", uses, x.Warm)
	}
	w.AwaitWarm(2)
}

func TestARevocationAfterASubmissionWasReadCounts(t *testing.T) {
	t.Parallel()
	w := newInterposed(t)
	_, err := w.submitAround(func() {
		_, err := w.Access.Lifecycle.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
		w.Must(err)
	}, "print 1")
	enginetest.WantCode(t, err, app.CodeProfileRevoked)
	if uses := w.uses("API_KEY"); uses != 0 {
		t.Errorf("the credential was used %d times", uses)
	}
	w.AwaitSlots(2)
	w.AwaitWarm(2)
}

// Nobody reports that a profile has expired, so the commit must check.
func TestAProfileThatExpiresAfterASubmissionWasRead(t *testing.T) {
	t.Parallel()
	var late atomic.Int64
	w := newInterposed(t, func(c *engine.Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	})
	w.untilReviewed(func() {
		_, err := w.Access.Lifecycle.SetExpiry(t.Context(), enginetest.Person, w.Profile.Handle,
			time.Now().Add(time.Hour))
		w.Must(err)
	})
	x, err := w.submitAround(func() { late.Store(int64(2 * time.Hour)) }, "print 1")
	w.Must(err)
	if x = w.Until(x, app.StatusError); !strings.Contains(x.Error, "expired") {
		t.Errorf("%q", x.Error)
	}
	w.AwaitWarm(2)
}

// SQLite may end a transaction after a read error. Later writes then committed at once, and left an
// execution that never ended.
func TestNothingIsStoredAfterASubmissionCouldNotBeRead(t *testing.T) {
	t.Parallel()
	w := newInterposed(t)
	broken, err := sql.Open("sqlite", filepath.Join(w.Dir, store.FileName)+"?_pragma=busy_timeout(10000)")
	w.Must(err)
	defer broken.Close()
	x, err := w.submitAround(func() {
		_, err := broken.ExecContext(t.Context(), "ALTER TABLE credential_versions RENAME TO lost")
		w.Must(err)
	}, "print 1")
	if err == nil {
		t.Errorf("stored as %+v", x)
	}
	w.AwaitSlots(2)
	w.AwaitWarm(2)
}
