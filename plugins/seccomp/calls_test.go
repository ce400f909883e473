package seccomp

import (
	"slices"
	"testing"
)

func everyCall() []call {
	return append(slices.Concat(deniedCalls(), hiddenMemoryCalls(), sharedCalls(), metadata(), dispensable()),
		callClone3(), callClone(), callUnshare(), callSocket(), callSocketpair(), callPersonality(), callFcntl(),
		callIoctl(),
		callConnect(), callFork(), callVfork(), callSendto(), callSendmsg(), callSendmmsg(), callSetsockopt(),
		callPrlimit(),
		callSetscheduler(),
		callSetparam(), callSetattr(), callSetaffinity(), callSetpriority(), callIoprioSet(), callPrctl(),
		callMmap(), callCloseRange(), callOpen(), callOpenat(), callOpenat2(), callTruncate())
}

// TestNumbers compares every number with the list of its own architecture, on any machine. A call
// marked as missing must not be in the list: it would be open there.
func TestNumbers(t *testing.T) {
	for goarch, number := range map[string]func(call) int{
		"amd64": func(c call) int { return c.amd64 },
		"arm64": func(c call) int { return c.arm64 },
	} {
		known := calls(t, goarch)
		for _, c := range everyCall() {
			want, has := known[c.name]
			if !has {
				want = none
			}
			if got := number(c); got != want {
				t.Errorf("%s on %s is %d, want %d", c.name, goarch, got, want)
			}
		}
	}
}
