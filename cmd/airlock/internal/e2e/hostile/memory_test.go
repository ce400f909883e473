package hostile_test

import (
	"crypto/rand"
	"fmt"
	"iter"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// worstTexts are scripts whose output costs the redactor most.
var worstTexts = []string{
	`set_result("%252541" * 590000)`,
	"import sys\nfor s in (sys.stdout, sys.stderr): s.write('%252541' * 140000)\nset_result('%252541' * 590000)",
	"set_result([1] * 2_000_000)",
	"print('an ordinary sentence, with signs & words. ' * 24000)",
	"llm.complete('%252541' * 100000)",
	"k = settings.get('KEY')\nprint((k * 20)[7:1000000])",
	"# " + strings.Repeat("%252541", 70_000),
}

// TestHoleH4MemoryOfTheServer: no text takes gigabytes of the server's memory.
func TestHoleH4MemoryOfTheServer(t *testing.T) {
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1")
	in.Admin(strings.Join(slices.Collect(randomWords(2000)), "-"), "credential", "set", "KEY", "--mode", "injected")
	id := in.Admin("", "profile", "create", "--description", "memory", "--key", "KEY")
	in.Admin("", "profile", "lock", id)
	for i, script := range worstTexts {
		x := in.Submit(id, script, time.Minute)
		if strings.HasPrefix(script, "llm.") {
			time.Sleep(2 * time.Second) // the question is masked, and never answered
			continue
		}
		x = in.Await(x, 2*time.Minute)
		t.Logf("%d: %s, %d MiB", i, x.Status, peakMemory(t, in.Server.Process.Pid)>>20)
	}
	if peak := peakMemory(t, in.Server.Process.Pid); peak > 512<<20 {
		t.Errorf("the server held %d MiB", peak>>20)
	}
}

// randomWords returns so many of 26 characters.
func randomWords(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for range n {
			if !yield(rand.Text()) {
				return
			}
		}
	}
}

func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	e2e.Must(t, err)
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Fatalf("no VmHWM in %s", status)
	}
	kib, err := strconv.ParseInt(string(m[1]), 10, 64)
	e2e.Must(t, err)
	return kib << 10
}
