package runner

import (
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/wire"
)

// A reached limit is kept with the run, unless it is the run's error.
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

// A signal, or a failure to start more processes, names the reached limit.
func TestFailuresNameTheLimitThatWasMet(t *testing.T) {
	t.Parallel()
	limits := app.DefaultLimits()
	for want, end := range map[string]ending{
		"AIRLOCK_LIMIT_TMP":  {exited: &wire.Exited{Code: -1, Signal: int(syscall.SIGXFSZ)}},
		"AIRLOCK_LIMIT_PIDS": {exited: &wire.Exited{Code: 1}, exit: plugins.Exit{PidsHit: true}},
		"64 MiB":             {exited: &wire.Exited{Code: 1}, failed: &wire.Failed{Error: "OSError: [Errno 28] No space left on device"}},
	} {
		end.limits = limits
		if got := judge(end); got.status != app.StatusError || !strings.Contains(got.message, want) {
			t.Errorf("%s lacks %q: %s", got.status, want, got.message)
		}
	}
}
