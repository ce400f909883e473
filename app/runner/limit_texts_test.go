package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/wire"
)

// A limit that the script reached is kept with the run, unless it ended the run and so is its error.
func TestReachedLimitsAreKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  ending
		want []app.LimitMet
	}{
		"none":          {ending{exited: &wire.Exited{}}, nil},
		"box ended":     {ending{exit: plugins.Exit{PidsHit: true}}, []app.LimitMet{app.LimitMetPids}},
		"killed for it": {ending{exit: plugins.Exit{PidsHit: true, Reason: plugins.ReasonPids}}, nil},
		"all": {ending{exit: plugins.Exit{PidsHit: true}, exited: &wire.Exited{TmpFull: true, ShmFull: true}},
			[]app.LimitMet{app.LimitMetPids, app.LimitMetTmp, app.LimitMetShm}},
	} {
		if diff := cmp.Diff(test.want, test.end.limitsMet()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestWarningsSayWhatTheErrorDoesNot(t *testing.T) {
	t.Parallel()
	x := app.Execution{Manifest: app.Manifest{Limits: app.DefaultLimits(), LimitsMet: []app.LimitMet{
		app.LimitMetPids, app.LimitMetTmp, app.LimitMetShm, "a later version's"}}}
	want := []string{
		"The script reached the limit of 64 processes and threads, and could start no more. " +
			"Use fewer, or ask the operator to raise AIRLOCK_LIMIT_PIDS.",
		"/tmp was full at the end (64 MiB), so files in it may be incomplete. " +
			"Write less, or ask the operator to raise AIRLOCK_LIMIT_TMP.",
		"/dev/shm was full at the end (256 MiB), so files in it may be incomplete. " +
			"Write less, or ask the operator to raise AIRLOCK_LIMIT_MEMORY.",
	}
	if diff := cmp.Diff(want, Warnings(x)); diff != "" {
		t.Error(diff)
	}
	x.Error = "OSError: [Errno 11]" + pidsLimit(x.Manifest.Limits)
	if diff := cmp.Diff(want[1:], Warnings(x)); diff != "" {
		t.Error(diff)
	}
}
