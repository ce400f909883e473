package runner

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storetest"
)

// stuckStorage accepts no content, like a bucket that stops reading.
type stuckStorage struct{ blobs.Store }

func (stuckStorage) Put(ctx context.Context, _ string, _ io.Reader, _ int64) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// An execution whose artifact was never stored didn't end, and blocked all other redaction.
func TestAStorageThatTakesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		during func(*Runner)
		ends   time.Duration
	}{
		{"until its time is over", func(*Runner) {}, storeWithin},
		{"until Airlock stops", (*Runner).Stop, endsAtStop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			withheld := map[time.Duration]string{
				storeWithin: "The storage did not take it in time.", endsAtStop: "It could not be checked: Airlock was stopped first.",
			}[tt.ends]
			s := storetest.Open(t)
			synctest.Test(t, func(t *testing.T) {
				keyring, err := secrets.NewKeyring(app.NewSecret(strings.Repeat("0123456789abcdef", 2)))
				if err != nil {
					t.Fatal(err)
				}
				log := slog.New(slog.DiscardHandler)
				r := New(Config{Workers: 1, Now: time.Now, Log: log, Files: files.New(files.Config{
					Store: s, Keyring: keyring, Storage: stuckStorage{}, Dir: t.TempDir(),
				})})
				defer r.Stop()
				h := &filesHook{runner: r, redaction: newRedaction(r, "x"), checks: r.lanes.open}
				for _, name := range []string{"a.txt", "b.txt"} {
					a := guest.Artifact{Name: name, Size: int64(len(name))}
					if err := h.collect(a, strings.NewReader(name)); err != nil {
						t.Fatal(err)
					}
				}
				var e ending
				begun, after := time.Now(), make(chan struct{})
				go func() {
					h.After(&e)
					close(after)
				}()
				synctest.Wait()
				if r.lanes.small.Taken()+r.lanes.large.Taken() > 0 {
					t.Fatal("it has a turn meanwhile")
				}
				tt.during(r)
				<-after
				if took := time.Since(begun); took != tt.ends {
					t.Errorf("it took %v, want %v", took, tt.ends)
				}
				for _, a := range e.artifacts {
					if a.Blob != 0 || a.Withheld != withheld {
						t.Errorf("kept: %+v", a)
					}
				}
				if len(e.artifacts) != 2 {
					t.Errorf("%d artifacts, want 2", len(e.artifacts))
				}
				for _, a := range h.left {
					if _, err := a.spool.Open().Read(make([]byte, 1)); err == nil {
						t.Errorf("the spool of %s is still open", a.Name)
					}
				}
			})
		})
	}
}

// The agent learns what is missing, that nothing ran, and the next step.
func TestWhatIsNotThereAnyMore(t *testing.T) {
	t.Parallel()
	r := New(Config{})
	defer r.Stop()
	gone := Source{Files: []store.InputFile{{InputFile: app.InputFile{Name: "a.csv"}}}}
	want := `the script was not run: the file "a.csv" is not kept any more. Send it again with POST /files, then submit again.`
	err := (&filesHook{runner: r}).Before(t.Context(), &Binding{source: gone})
	if got := wordUnsent(err); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
