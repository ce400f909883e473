package recovery_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// goroutines counts those of the server and its plugins.
func (h *environment) goroutines(r *e2e.GoroutineReader) map[string]int {
	counts := map[string]int{}
	for _, p := range append(h.in.Processes(), e2e.Process{PID: h.in.Server.Process.Pid, Line: "serve"}) {
		if p.Line != "serve" && !strings.Contains(p.Line, " plugin ") {
			continue
		}
		words := strings.Fields(p.Line)
		for name, n := range r.Of(p.PID) {
			counts[words[len(words)-1]+": "+name] = n
		}
	}
	return counts
}

// keptConnections bounds additional idle connections to the Docker engine and of clients. Each has
// two goroutines at most.
const keptConnections = 8

func (h *environment) goroutinesBack(t *testing.T, r *e2e.GoroutineReader, before map[string]int) {
	t.Helper()
	var now map[string]int
	more := func() (list []string) {
		now = h.goroutines(r)
		for name, n := range now {
			slack := 0
			if strings.Contains(name, ": net/http.") {
				slack = keptConnections
			}
			if n > before[name]+slack {
				list = append(list, fmt.Sprintf("%d of %s, %d before", n, name, before[name]))
			}
		}
		return list
	}
	left := more()
	for deadline := time.Now().Add(30 * time.Second); len(left) > 0 && time.Now().Before(deadline); left = more() {
		time.Sleep(50 * time.Millisecond)
	}
	for _, what := range left {
		t.Errorf("goroutines left: %s", what)
	}
	for _, name := range e2e.Backends() {
		if now[name+": runtime.main"] != 1 {
			t.Errorf("no goroutines of the plugin for %s were seen", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		t.Logf("%-90s %4d, was %4d", name, now[name], before[name])
	}
}
