package transfer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

type noted struct {
	bytes.Buffer
	progress *Progress
	seen     []int64
}

func (n *noted) Write(p []byte) (int, error) {
	done, _ := n.progress.Of()
	n.seen = append(n.seen, done)
	return n.Buffer.Write(p)
}

// Exports count executions and plans bytes. Neither goes backwards, and both reach the expected
// total.
func TestProgress(t *testing.T) {
	a, b, _ := twins(t)
	var exporting, planning Progress
	file := &noted{progress: &exporting}
	made := must[Exported](t)(a.Export(t.Context(), person(), file, app.NewSecret(words), all(), &exporting))
	done, total := exporting.Of()
	if made.Counts.Executions == 0 || total != made.Counts.Executions || done != total {
		t.Errorf("an export of %s ends at %d of %d", made.Counts, done, total)
	}
	for i, at := range file.seen {
		if at > total || i > 0 && at < file.seen[i-1] {
			t.Errorf("it was at %v of %d", file.seen, total)
			break
		}
	}
	size := int64(file.Len())
	must[Plan](t)(b.Plan(t.Context(), person(), upload(file.Bytes()), &planning))
	if done, total := planning.Of(); total != size || done != size {
		t.Errorf("reading a file of %d bytes ends at %d of %d", size, done, total)
	}
}

// One process does one thing at a time. An upload refused for that is not kept.
func TestOneJobAtATime(t *testing.T) {
	_, b, _ := twins(t)
	file := b.export(all())
	before, release := names(t, b.Dir), make(chan struct{})
	must[string](t)(b.start(JobBackup, person(), func(context.Context, *Job, *Progress) error { <-release; return nil }))
	path, size, err := b.Receive(bytes.NewReader(file))
	b.No(err)
	_, err = b.StartPlan(person(), path, size, app.NewSecret(words))
	wantCode(t, "plan", err, app.CodeConflict)
	_, err = b.StartExport(person(), app.NewSecret(words), all())
	wantCode(t, "export", err, app.CodeConflict)
	close(release)
	<-b.jobs.done
	if diff := cmp.Diff(before, names(t, b.Dir)); diff != "" {
		t.Error(diff)
	}
}

func TestNoJobBeginsAfterClose(t *testing.T) {
	h := newFixture(t, "aaaa")
	begun := make(chan struct{})
	id := must[string](t)(h.start(JobBackup, person(), func(ctx context.Context, _ *Job, _ *Progress) error {
		close(begun)
		<-ctx.Done()
		return context.Cause(ctx)
	}))
	<-begun
	h.Close()
	if j := must[Job](t)(h.Job(id)); j.IsRunning() || !errors.Is(j.Err, context.Canceled) {
		t.Errorf("the job that ran: %+v", j)
	}
	_, err := h.StartExport(person(), app.NewSecret(words), all())
	wantCode(t, "export", err, app.CodeConflict)
}

// An unfetched export is removed although nobody asks for it.
func TestFinishedJobIsForgotten(t *testing.T) {
	h := newFixture(t, "aaaa")
	at, before := time.Now(), names(t, h.Dir)
	h.cfg.Now = func() time.Time { return at }
	id := must[string](t)(h.StartExport(person(), app.NewSecret(words), all()))
	<-h.jobs.done
	must[*os.File](t)(h.Download(id)).Close()
	at = at.Add(jobLife + time.Minute)
	h.forgetOld()
	if diff := cmp.Diff(before, names(t, h.Dir)); diff != "" || h.jobs.job != nil {
		t.Errorf("it is kept: %s", diff)
	}
}

// The next job removes the file and passphrase of the one before.
func TestAJobRemovesWhatTheOneBeforeLeft(t *testing.T) {
	h := newFixture(t, "aaaa")
	before := names(t, h.Dir)
	id := must[string](t)(h.StartExport(person(), app.NewSecret(words), all()))
	<-h.jobs.done
	must[*os.File](t)(h.Download(id)).Close()
	id = must[string](t)(h.StartBackup(person(), func(context.Context) error { return nil }))
	<-h.jobs.done
	h.No(must[Job](t)(h.Job(id)).Err)
	if diff := cmp.Diff(before, names(t, h.Dir)); diff != "" {
		t.Error(diff)
	}
}
