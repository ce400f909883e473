package hints

import (
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// An error of a limit names the limit, its number and the variable that raises it.
func TestErrorsNameTheLimitThatWasMet(t *testing.T) {
	t.Parallel()
	limits := app.DefaultLimits()
	notes := []string{"Only the working directory is writable."}
	for _, test := range []struct {
		error  string
		signal syscall.Signal
		said   string // on stderr
		want   []string
	}{
		{"OSError: [Errno 28] No space left on device: '/tmp/x'", 0, "", []string{"64 MiB", "AIRLOCK_LIMIT_TMP", "/dev/shm is 256 MiB"}},
		{"OSError: [Errno 27] File too large", 0, "", []string{"64 MiB", "AIRLOCK_LIMIT_TMP"}},
		{"OSError: [Errno 24] Too many open files", 0, "", []string{"256 open files", "AIRLOCK_LIMIT_FILES"}},
		{"RuntimeError: can't start new thread", 0, "", []string{"64 processes and threads", "AIRLOCK_LIMIT_PIDS"}},
		{"MemoryError", 0, "", []string{"512 MiB", "AIRLOCK_LIMIT_MEMORY"}},
		{"numpy.core._exceptions._ArrayMemoryError: Unable to allocate 1. TiB", 0, "", []string{"512 MiB", "AIRLOCK_LIMIT_MEMORY"}},
		{"", syscall.SIGBUS, "", []string{"/dev/shm is 256 MiB", "AIRLOCK_LIMIT_TMP", "AIRLOCK_LIMIT_MEMORY"}},
		{"", syscall.SIGXFSZ, "", []string{"AIRLOCK_LIMIT_TMP"}},
		{"PermissionError: [Errno 13] Permission denied: '/tmp/x'", 0, "", notes},
		{"subprocess.CalledProcessError: Command 'dd' returned non-zero exit status 1.", 0,
			"dd: error writing 'x': No space left on device\n", []string{"64 MiB", "AIRLOCK_LIMIT_TMP"}},
		{"subprocess.CalledProcessError: Command 'dd' returned non-zero exit status 153.", 0, "", []string{"AIRLOCK_LIMIT_TMP"}},
		{"subprocess.CalledProcessError: Command 'x' died with <Signals.SIGXFSZ: 25>.", 0, "", []string{"AIRLOCK_LIMIT_TMP"}},
		{"subprocess.CalledProcessError: Command 'node' returned non-zero exit status 1.", 0,
			"Error: EMFILE: Too many open files, open 'x'\n", []string{"256 open files"}},
	} {
		message := AfterError(test.error, test.said, "", limits, notes) + AfterSignal(test.signal, limits)
		for _, want := range test.want {
			if !strings.Contains(message, want) {
				t.Errorf("%q, signal %d: %q lacks %q", test.error, test.signal, message, want)
			}
		}
	}
	for _, plain := range []string{"ValueError: MemoryError", "KeyError: 'x'", "BlockingIOError: [Errno 11] Resource temporarily unavailable"} {
		if got := AfterError(plain, "", "", limits, notes); got != "" {
			t.Errorf("%q is explained by %q", plain, got)
		}
	}
	if got := AfterError("KeyError: 'x'", "No space left on device", "", limits, notes); got != "" {
		t.Errorf("what was printed before explains another error by %q", got)
	}
	if got := AfterError("PermissionError: [Errno 13] Permission denied", "", "", limits, nil); got != "" {
		t.Errorf("a full sandbox explains a refusal by %q", got)
	}
}

// An error says once per place what to do, so that repeated requests don't hide others.
func TestHintsAreSaidOnce(t *testing.T) {
	t.Parallel()
	refused := func(host, path, rule string) app.Connection {
		return app.Connection{Host: host, Port: 443, Method: "GET", Path: path, Rule: rule, Verdict: app.VerdictDenied,
			Count: 1}
	}
	allowed := refused("a.example", "/3", "a.example")
	allowed.Verdict = app.VerdictAllowed
	got := Denials([]app.Connection{
		refused("a.example", "/1", rules.Host), refused("a.example", "/2", rules.Host), allowed,
		refused("b.example", "/1", rules.Host), refused("a.example", "/1", rules.Upgrade),
		refused("a.example", "/4", rules.Closed),
	})
	var want []string
	for _, c := range []app.Connection{refused("a.example", "", rules.Host),
		refused("b.example", "", rules.Host), refused("a.example", "", rules.Upgrade)} {
		want = append(want, rules.Explain(c).Message+".")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
