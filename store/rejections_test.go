package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// TestRejections: refusals count per key and host, in runs; what was accepted since, is older, was
// refused by Airlock itself, or had no sealed value in it, doesn't count.
func TestRejections(t *testing.T) {
	s := queue(t)
	for i, ledger := range [][]app.Connection{
		{{Status: 401, Credentials: []string{"OLD"}, StartedAt: start.Add(-48 * time.Hour)}},
		{{Status: 401, Credentials: []string{"KEY"}}, {Status: 403, Credentials: []string{"KEY"}}},
		{{Status: 401, Credentials: []string{"KEY", "FIXED"}}, {Status: 401}},
		{{Status: 403, Credentials: []string{"MINE"}, Verdict: app.VerdictDenied}},
		{{Status: 200, Credentials: []string{"FIXED"}}, {Status: 204, Credentials: []string{"KEY2"}}},
	} {
		handle := string(rune('p' + i))
		enqueue(t, s, handle, "a", start)
		claim(t, s)
		f := Finish{Status: app.StatusCompleted, At: start}
		for j, c := range ledger {
			if c.Verdict == "" {
				c.Verdict = app.VerdictAllowed
			}
			if c.StartedAt.IsZero() {
				c.StartedAt = start.Add(time.Duration(10*i+j) * time.Second)
			}
			c.Port, c.Count = 443, 1
			f.Network = append(f.Network, Connection{Connection: c, Host: redact.Fixed("api.acme.test")})
		}
		write(t, s, func(tx *Tx) error {
			_, err := tx.Executions.Finish(t.Context(), handle, f)
			return err
		})
	}
	var got []Rejection
	if err := s.Read(t.Context(), func(tx *Tx) (err error) {
		got, err = tx.Executions.Rejections(t.Context(), start.Add(-24*time.Hour))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want := []Rejection{{
		ProfileHandle: "a", Key: "KEY", Host: "api.acme.test", Status: 401, Runs: 2, At: start.Add(20 * time.Second),
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
