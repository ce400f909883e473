package runner

import (
	"errors"
	"fmt"
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
		"none":          {ending{end: endReported}, nil},
		"box ended":     {ending{exit: plugins.Exit{PidsHit: true}}, []app.LimitMet{app.LimitMetPids}},
		"killed for it": {ending{exit: plugins.Exit{PidsHit: true, Reason: plugins.ReasonPids}}, nil},
		"all": {ending{exit: plugins.Exit{PidsHit: true}, exited: wire.Exited{TmpFull: true, ShmFull: true}},
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
		"AIRLOCK_LIMIT_TMP":  {end: endReported, exited: wire.Exited{Code: -1, Signal: int(syscall.SIGXFSZ)}},
		"AIRLOCK_LIMIT_PIDS": {end: endReported, exited: wire.Exited{Code: 1}, exit: plugins.Exit{PidsHit: true}},
		"64 MiB":             {end: endReported, exited: wire.Exited{Code: 1}, failed: &wire.Failed{Error: "OSError: [Errno 28] No space left on device"}},
	} {
		end.limits = limits
		if got := judge(end); got.status != app.StatusError || !strings.Contains(got.message, want) {
			t.Errorf("%s lacks %q: %s", got.status, want, got.message)
		}
	}
}

// Only a lost plugin blames the backend's end. Other failures to end a box are in the log.
func TestALostSandboxNamesItsCause(t *testing.T) {
	t.Parallel()
	for want, lost := range map[string]error{
		"broke": plugins.ErrCut, "its backend ended or was restarted": fmt.Errorf("%w: gone", plugins.ErrLost),
		"finds the reason in Airlock's log":       errors.New("processes of the box survive being killed"),
		"the sandbox ended before the script did": nil,
	} {
		if got := judge(ending{lost: lost}); got.status != app.StatusError || !strings.Contains(got.message, want) {
			t.Errorf("%v: %s lacks %q: %s", lost, got.status, want, got.message)
		}
	}
}
