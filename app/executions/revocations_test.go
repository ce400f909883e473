package executions_test

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
)

// TestExecutionsEndWithTheirProfile: executions end within a second after revoking or deleting
// returns.
func TestExecutionsEndWithTheirProfile(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(w *world) error{
		"revoked": func(w *world) error {
			_, err := w.Access.Lifecycle.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
			return err
		},
		"deleted": func(w *world) error {
			return w.Access.Profiles.Delete(t.Context(), enginetest.Person, w.Profile.Handle)
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(c *engine.Config) { c.Workers = 2 })
			other := w.SendUnder(w.NewProfile(), "hang")
			running := w.Send("hang")
			w.UntilStatus(other, app.StatusRunning)
			w.UntilStatus(running, app.StatusRunning)
			waiting := w.Send("hang")
			w.Must(end(w))
			decided := time.Now()
			for _, x := range []app.Execution{running, waiting} {
				if x = w.UntilStatus(x, app.StatusCancelled); x.Error != "cancelled: the profile was "+what {
					t.Errorf("%q", x.Error)
				}
				if late := x.CompletedAt.Sub(decided); late > time.Second {
					t.Errorf("it ended %v later", late)
				}
			}
			if now := w.StoredStatus(other); now != app.StatusRunning {
				t.Errorf("that of another profile is %s", now)
			}
		})
	}
}

// TestOrphansEndAtTheStart: a profile may be revoked while no server runs.
func TestOrphansEndAtTheStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers = 1 })
	w.UntilStatus(w.SendUnder(w.NewProfile(), "hang"), app.StatusRunning)
	x := w.Send("result 1")
	w.Must(w.Close(t.Context()))
	_, err := w.Access.Lifecycle.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
	w.Must(err)
	w.StartEngine()
	w.UntilStatus(x, app.StatusCancelled)
}
