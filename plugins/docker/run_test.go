package docker

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// TestManyEndsLeaveNothing ends boxes in every way, in random order, some together: 28, or 70 in
// the longest run.
func TestManyEndsLeaveNothing(t *testing.T) {
	w := newWorld(t, sharedSettings())
	w.ready(t)
	zero := 0
	ends := []struct {
		order sandboxtest.Order
		life  time.Duration // until it's killed
		want  plugins.Reason
	}{
		{sandboxtest.Order{Exit: &zero}, time.Minute, plugins.ReasonExit},
		{python("print('x' * 100000)"), time.Minute, plugins.ReasonExit},
		{python("import os\nfor i in range(3):\n if os.fork() == 0: os.setsid()"), time.Minute, plugins.ReasonExit},
		{python("x = bytearray(b'1') * (1 << 30)"), time.Minute, plugins.ReasonOOM},
		{python(sleeper), 500 * time.Millisecond, plugins.ReasonKilled},
		{python("while True: print('x' * 1000)"), 700 * time.Millisecond, plugins.ReasonKilled},
		{python(sleeper), time.Millisecond, plugins.ReasonKilled},
	}
	const seed = 1
	random := rand.New(rand.NewPCG(seed, seed))
	next := make(chan int)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for n := range next {
				e := ends[n%len(ends)]
				ctx, cancel := context.WithTimeout(t.Context(), e.life)
				_, exit, err := w.doWithin(ctx, t,
					plugins.Spec{ID: "random-" + strconv.Itoa(n), Limits: plugins.Limits{Memory: 64 << 20}}, e.order)
				cancel()
				if err != nil || exit.Reason != e.want {
					t.Errorf("box %d: %+v, %v, want %s", n, exit, err, e.want)
				}
			}
		})
	}
	count := 28
	if os.Getenv(sandboxtest.SuiteVariable) == "all" {
		count = 70
	}
	for _, n := range random.Perm(count) {
		next <- n
	}
	close(next)
	workers.Wait()
	noneLeft(t, shared, w.cfg.Instance)
}

// TestEndDoesNotWaitForRemoval delays an engine's removals. Run still reports the end, nothing runs
// in the container, and Close waits for the removal.
func TestEndDoesNotWaitForRemoval(t *testing.T) {
	proxy := startProxy(t, shared.Socket())
	settings := sharedSettings()
	settings["host"] = proxy.host
	w := newWorld(t, settings)
	w.ready(t)
	w.Close() // the proof's own boxes
	gate := make(chan struct{})
	proxy.delay(func(r *http.Request) {
		if r.Method == http.MethodDelete {
			<-gate
		}
	})
	if _, exit, err := w.do(t, plugins.Spec{}, python("pass")); err != nil || exit.Code != 0 ||
		exit.Reason != plugins.ReasonExit {
		t.Fatalf("%+v, %v", exit, err)
	}
	if left := leftovers(t, shared)(w.cfg.Instance); len(left) != 1 || !strings.HasSuffix(left[0], " exited") {
		t.Errorf("containers %v, want one that has exited", left)
	}
	if _, exit, err := w.do(t, plugins.Spec{}, python("pass")); err != nil || exit.Code != 0 {
		t.Errorf("another box of the same id: %+v, %v", exit, err)
	}
	close(gate)
	w.Close()
	if left := leftovers(t, shared)(w.cfg.Instance); len(left) != 0 {
		t.Errorf("left after Close: %v", left)
	}
}
