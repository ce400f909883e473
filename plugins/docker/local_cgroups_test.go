package docker

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins"
)

// Counters of a container that runs, as kernels write them.
func unifiedCounters() map[string]string {
	return map[string]string{
		"memory.events": "low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\noom_group_kill 0\n", "memory.peak": "3000\n",
		"memory.current": "2000\n",
		"pids.events":    "max 0\n",
		"cpu.stat":       "usage_usec 5000000\nuser_usec 1\nnr_periods 3\nnr_throttled 2\nthrottled_usec 9\n",
	}
}

func splitCounters() map[string]string {
	return map[string]string{
		"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", "memory.max_usage_in_bytes": "3000\n",
		"pids.events": "max 0\n", "cpuacct.usage": "5000000000\n",
		"cpu.stat": "nr_periods 3\nnr_throttled 2\nthrottled_time 9\n",
	}
}

func group(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestNearbyUsage(t *testing.T) {
	quiet := usage{peak: 3000, cpu: 5 * time.Second, held: true}
	tests := []struct {
		name    string
		unified bool
		files   map[string]string // others than those of a quiet container
		want    usage
	}{
		{"quiet, unified", true, nil, quiet},
		{"quiet", false, nil, quiet},
		{"refused forks, unified", true, map[string]string{"pids.events": "max 3\n"},
			usage{peak: 3000, cpu: 5 * time.Second, held: true, full: true}},
		{"refused forks", false, map[string]string{"pids.events": "max 3\n"},
			usage{peak: 3000, cpu: 5 * time.Second, held: true, full: true}},
		{"a process ended, unified", true, map[string]string{"memory.events": "max 7\noom 1\noom_kill 1\n"},
			usage{peak: 3000, cpu: 5 * time.Second, held: true, oom: true}},
		{"a process ended", false,
			map[string]string{"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"},
			usage{peak: 3000, cpu: 5 * time.Second, held: true, oom: true}},
		{"nothing to end, unified", true, map[string]string{"memory.events": "max 7\noom 1\noom_kill 0\n"},
			usage{peak: 3000, cpu: 5 * time.Second, held: true, oom: true}},
		{"nothing to end", false,
			map[string]string{"memory.oom_control": "oom_kill_disable 0\nunder_oom 1\noom_kill 0\n"},
			usage{peak: 3000, cpu: 5 * time.Second, held: true, oom: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := splitCounters()
			if tt.unified {
				files = unifiedCounters()
			}
			maps.Copy(files, tt.files)
			dir := group(t, files)
			got, ok := (&localCgroups{dir, dir, dir, dir, tt.unified}).usage()
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(usage{})); !ok || diff != "" {
				t.Error(ok, diff)
			}
		})
	}
}

func TestAMissingCounterIsNotZero(t *testing.T) {
	for unified, all := range map[bool]map[string]string{true: unifiedCounters(), false: splitCounters()} {
		for name, text := range all {
			if name == "memory.current" || name == "memory.peak" || name == "cpu.stat" && !unified {
				continue // one can stand for the other, and no verdict depends on the last
			}
			for how, left := range map[string]string{"gone": "", "without its line": "other 7\n"} {
				files := maps.Clone(all)
				files[name] = left
				dir := group(t, files)
				if how == "gone" {
					_ = os.Remove(filepath.Join(dir, name))
				}
				if u, ok := (&localCgroups{dir, dir, dir, dir, unified}).usage(); ok {
					t.Errorf("unified %v, %s %s (was %q): %+v", unified, name, how, text, u)
				}
			}
		}
	}
}

// TestAHierarchyThatIsNotThereIsNotRead: a file of that name in the directory where Airlock was
// started is nobody's counter.
func TestAHierarchyThatIsNotThereIsNotRead(t *testing.T) {
	dir := group(t, splitCounters())
	t.Chdir(dir)
	if u, ok := (&localCgroups{memory: dir, cpu: dir, quota: dir}).usage(); ok {
		t.Errorf("without a hierarchy of processes: %+v", u)
	}
}

// TestUsageIsTheMostThatWasSeen: before Linux 5.19 only a container's current memory is readable,
// not its peak.
func TestUsageIsTheMostThatWasSeen(t *testing.T) {
	for _, kept := range []bool{true, false} {
		files := unifiedCounters()
		if !kept {
			delete(files, "memory.peak")
		}
		dir := group(t, files)
		m := newMeter(nil, "", 10)
		m.near = &localCgroups{dir, dir, dir, dir, true}
		b := New()
		if err := b.boxes.Enter("a", &box{meter: m}); err != nil {
			t.Fatal(err)
		}
		want := plugins.Usage{PeakMemory: 3000, CPUTime: 5 * time.Second}
		if !kept {
			want.PeakMemory = 2000
		}
		for _, current := range []string{"2000\n", "10\n"} {
			if err := os.WriteFile(filepath.Join(dir, "memory.current"), []byte(current), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := b.Usage(t.Context(), "a")
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("with a mark %v, now %q: %v, %s", kept, current, err, diff)
			}
		}
	}
}
