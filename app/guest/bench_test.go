package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func BenchmarkWarm(b *testing.B) {
	var took []time.Duration
	for range b.N {
		b.StopTimer()
		s := open(b)
		time.Sleep(50 * time.Millisecond) // let the start-up of this box settle
		b.StartTimer()
		begin := time.Now()
		outcome, err := s.Run(b.Context(), job("set_result(1)"), (&recorder{}).handler())
		took = append(took, time.Since(begin))
		b.StopTimer()
		if err != nil || string(outcome.Result) != "1" {
			b.Fatal(err)
		}
		s.Close()
		b.StartTimer()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkOpen is the time from nothing to a box that waits, with this package's test sandbox.
func BenchmarkOpen(b *testing.B) {
	for range b.N {
		s := open(b)
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}

// TestIdleMemory measures what a waiting box holds among others: the PSS of airlock-init and of the
// interpreter.
func TestIdleMemory(t *testing.T) {
	const boxes = 8
	var roots []int
	for range boxes {
		stdin, stdout, cmd := stdio(t)
		s, err := Open(t.Context(), stdin, stdout, Boot{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		roots = append(roots, cmd.Process.Pid)
	}
	sum := map[string]int{}
	for _, root := range roots {
		for _, pid := range descendants(t, root) {
			name, _ := os.ReadFile(filepath.Join("/proc", pid, "comm"))
			rollup, err := os.ReadFile(filepath.Join("/proc", pid, "smaps_rollup"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(rollup)) {
				var pss int
				if n, _ := fmt.Sscanf(line, "Pss: %d kB", &pss); n == 1 {
					sum[strings.TrimSpace(string(name))] += pss
					sum["all"] += pss
				}
			}
		}
	}
	for name, pss := range sum {
		t.Logf("%s: %d KiB per box", name, pss/boxes)
	}
	if each := sum["all"] / boxes; each < 1<<10 || each > 12<<10 {
		t.Errorf("an idle box holds %d KiB", each)
	}
}

func descendants(t *testing.T, root int) []string {
	t.Helper()
	var found []string
	var children []byte
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", root))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range threads {
		of, _ := os.ReadFile(path)
		children = append(children, of...)
	}
	for _, pid := range strings.Fields(string(children)) {
		var n int
		_, _ = fmt.Sscan(pid, &n)
		found = append(append(found, pid), descendants(t, n)...)
	}
	return found
}
