package engine

import (
	"database/sql"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// ready waits until as many boxes wait as the pool keeps.
func (w *world) ready(n int) {
	w.t.Helper()
	in, err := w.place(app.Placement{})
	w.must(err)
	for limit := time.Now().Add(20 * time.Second); in.class("").ready() != n; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			w.t.Fatalf("%d boxes are ready, want %d", in.class("").ready(), n)
		}
	}
}

// found is what a submission reads, with boxes ready for it.
func (w *world) found() terms {
	w.t.Helper()
	w.ready(2)
	found, err := w.mayExecute(w.t.Context(), w.profile.ID)
	w.must(err)
	return found
}

func (w *world) uses(credential string) int64 {
	w.t.Helper()
	c, err := w.access.Credential(w.t.Context(), credential)
	w.must(err)
	return c.Uses
}

// enqueued is Submit from when it has read what it found.
func (w *world) enqueued(found terms, script string) (app.Execution, error) {
	w.t.Helper()
	id := app.NewExecutionID()
	s := Submission{ProfileID: w.profile.ID, Script: script, By: agent, Timeout: time.Minute}
	n := w.seal(s, w.profile.Handle, id)
	n.Clean = redact.Fixed("a script")
	x, _, err := w.enqueue(w.t.Context(), s, n, &found)
	x.ID = id
	return x, err
}

// What a submission finds a box for is bound with the commit that stores it: nothing else has to be written before its script is sent.
func TestBoundWithTheCommit(t *testing.T) {
	w := newWorld(t)
	found := w.found()
	x, err := w.enqueued(found, "setting API_KEY\nhang")
	w.must(err)
	now, err := w.ByHandle(t.Context(), x.Handle)
	w.must(err)
	if now.Status != app.StatusRunning || now.Backend != "fake" || !now.Warm || now.StartedAt.IsZero() || now.Policy != 1 || len(now.Injected) != 1 || now.Injected[0] != "API_KEY" {
		t.Errorf("stored as %+v", now)
	}
	if x.Status != app.StatusPending || x.Backend != "" {
		t.Errorf("told as %+v", x)
	}
	if uses := w.uses("API_KEY"); uses != 1 {
		t.Errorf("the credential was used %d times", uses)
	}
	_, err = w.Cancel(t.Context(), x.ID, agent)
	w.must(err)
	w.untilStatus(x, app.StatusCancelled)
	w.ready(2)
}

// Policy and values are those of the commit, however long the script took to be looked through.
func TestWhatChangedAfterASubmissionWasReadCounts(t *testing.T) {
	w := newWorld(t)
	found := w.found()
	w.untilReviewed(func() { w.allow("api.example.com") })
	w.untilReviewed(func() {
		_, err := w.access.SetCredential(t.Context(), person, access.CredentialInput{Name: "DB_HOST", Mode: app.ModePlain, Value: app.NewSecret("new.example.com")})
		w.must(err)
	})
	x, err := w.enqueued(found, "setting DB_HOST")
	w.must(err)
	x = w.until(x, app.StatusCompleted)
	out, err := w.Output(t.Context(), x.Handle)
	w.must(err)
	if x.Policy != 2 || out.Stdout != "new.example.com\n" {
		t.Errorf("policy %d, stdout %q", x.Policy, out.Stdout)
	}
}

// A decision that was begun before the execution was found to run is looked for again: nobody told it.
func TestADecisionAroundTheCommitCounts(t *testing.T) {
	w := newWorld(t)
	found, id := w.found(), app.NewExecutionID()
	s := Submission{ProfileID: w.profile.ID, Script: "setting DB_HOST", By: agent, Timeout: time.Minute}
	n := w.seal(s, w.profile.Handle, id)
	n.Clean, n.ClaimedBy = redact.Fixed("a script"), w.name
	now, x := w.atOnce(t.Context()), app.Execution{}
	w.must(w.store.Write(t.Context(), func(tx *store.Tx) error {
		if err := now.bind(t.Context(), tx, &n, s, &found); err != nil {
			return err
		}
		pending, err := tx.Enqueue(t.Context(), n)
		x = pending.Execution
		return err
	}))
	w.reviews.Add(1)
	now.claimed(x, s)
	now.end()
	x.ID = id
	x = w.until(x, app.StatusCompleted)
	out, err := w.Output(t.Context(), x.Handle)
	w.must(err)
	if out.Stdout != "db.example.com\n" {
		t.Errorf("stdout %q", out.Stdout)
	}
	if uses := w.uses("DB_HOST"); uses != 2 {
		t.Errorf("its values were read %d times: it was not bound again", uses)
	}
	w.ready(2)
}

// TestDecisionsOfOthersCostNoBox: a submission whose script took long to be looked through lost its box, and had its values counted twice, as soon as anybody created a profile.
func TestDecisionsOfOthersCostNoBox(t *testing.T) {
	w := newWorld(t)
	found := w.found()
	w.reviews.Add(1)
	x, err := w.enqueued(found, "setting DB_HOST")
	w.must(err)
	x = w.until(x, app.StatusCompleted)
	if uses := w.uses("DB_HOST"); uses != 1 || !x.Warm {
		t.Errorf("its values were read %d times; warm is %v", uses, x.Warm)
	}
	w.ready(2)
}

func TestARevocationAfterASubmissionWasReadCounts(t *testing.T) {
	w := newWorld(t)
	found := w.found()
	_, err := w.access.Revoke(t.Context(), person, w.profile.Handle)
	w.must(err)
	_, err = w.enqueued(found, "print 1")
	wantCode(t, err, app.CodeProfileRevoked)
	if uses := w.uses("API_KEY"); uses != 0 {
		t.Errorf("the credential was used %d times", uses)
	}
	w.slotsFree(2)
	w.ready(2)
}

// Nobody is told that a profile has expired, so the commit itself has to look: only what has begun may go on.
func TestAProfileThatExpiresAfterASubmissionWasRead(t *testing.T) {
	var late atomic.Int64
	w := newWorldWithout(t)
	w.startEngine(func(c *Config) { c.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) } })
	w.ready(2)
	w.untilReviewed(func() {
		_, err := w.access.SetExpiry(t.Context(), person, w.profile.Handle, time.Now().Add(time.Hour))
		w.must(err)
	})
	found := w.found()
	late.Store(int64(2 * time.Hour))
	x, err := w.enqueued(found, "print 1")
	w.must(err)
	if x = w.until(x, app.StatusError); !strings.Contains(x.Error, "expired") {
		t.Errorf("%q", x.Error)
	}
	w.ready(2)
}

// SQLite ends a transaction by itself when it can't read from the disk. What was stored then counted at once, as an execution that runs and never ends.
func TestNothingIsStoredAfterASubmissionCouldNotBeRead(t *testing.T) {
	w := newWorld(t)
	found := w.found()
	broken, err := sql.Open("sqlite", filepath.Join(w.dir, store.FileName))
	w.must(err)
	defer broken.Close()
	_, err = broken.ExecContext(t.Context(), "ALTER TABLE credential_versions RENAME TO lost")
	w.must(err)
	if x, err := w.enqueued(found, "print 1"); err == nil {
		t.Errorf("stored as %+v", x)
	}
	w.slotsFree(2)
	w.ready(2)
}
