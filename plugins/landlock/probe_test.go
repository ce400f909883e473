package landlock

import (
	"testing"

	"github.com/computclaw/airlock/plugins/probe"
)

// The parts of a probe that note what it tries, and compare that with what it claims.
const (
	noteAttempts = `
tried = set()
def note(event, args):
    if event == "os.kill":
        tried.add((event, *args))
    elif event == "os.mkdir":
        tried.add((event, args[0]))
    elif event == "socket.__new__":
        tried.add((event, *args[1:3]))
sys.addaudithook(note)
`
	compareAttempts = `
@control("each attempt was made")
def _():
    "compared"
    wanted = {("os.kill", pid, n) for pid in (facts["outside"], os.getppid()) for n in (0, 18, 23)}
    wanted |= {("os.mkdir", d + "/x") for d in ("/dev/pts", "/sys", "/proc")}
    wanted |= {("socket.__new__", f, k) for f in (1, 2, 10) for k in (2, 3)}
    return sorted(wanted - tried)
`
)

// TestHoleEachAttemptIsMade: of attempts that were made in a loop, the last was made as often
// instead.
func TestHoleEachAttemptIsMade(t *testing.T) {
	h := inspected(t, "test-attempts")
	c, err := newCanaries(h.newPath("_canaries"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	answer, err := probe.Run(t.Context(), h.python, probeLimits(), noteAttempts+probeScript+compareAttempts,
		h.facts(c, []string{}))
	if err != nil {
		t.Fatal(err)
	}
	seen := false
	for _, control := range answer.Controls {
		seen = seen || control.Name == "each attempt was made"
		if !control.Proved {
			t.Errorf("%s: %s", control.Name, control.Detail)
		}
	}
	if !seen {
		t.Error("nothing was compared")
	}
}
