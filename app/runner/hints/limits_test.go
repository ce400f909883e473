package hints

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

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
	x.Error = "OSError: [Errno 11]" + PidsHint(x.Manifest.Limits)
	if diff := cmp.Diff(want[1:], Warnings(x)); diff != "" {
		t.Error(diff)
	}
}
