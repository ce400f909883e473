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

// BenchmarkWarm is the time from Run to its return, for the smallest script, in boxes that were waiting.
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

// TestIdleMemory measures what a waiting box holds: PSS of airlock-init and of the interpreter.
func TestIdleMemory(t *testing.T) {
	stdin, stdout, cmd := stdio(t)
	s, err := Open(t.Context(), stdin, stdout)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	time.Sleep(100 * time.Millisecond)
	total := 0
	for _, pid := range descendants(t, cmd.Process.Pid) {
		name, _ := os.ReadFile(filepath.Join("/proc", pid, "comm"))
		rollup, err := os.ReadFile(filepath.Join("/proc", pid, "smaps_rollup"))
		if err != nil {
			continue
		}
		var rss, pss int
		for line := range strings.Lines(string(rollup)) {
			_, _ = fmt.Sscanf(line, "Rss: %d kB", &rss)
			_, _ = fmt.Sscanf(line, "Pss: %d kB", &pss)
		}
		t.Logf("%s: rss %d KiB, pss %d KiB", strings.TrimSpace(string(name)), rss, pss)
		total += pss
	}
	if total == 0 || total > 16<<10 {
		t.Errorf("an idle box holds %d KiB", total)
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
