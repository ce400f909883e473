package bubblewrap

import (
	"errors"
	"io"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins"
)

// Counters of a box that no limit refused anything, as kernels write them.
func counters2() map[string]string {
	return map[string]string{
		"memory.events": "low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\noom_group_kill 0\n", "memory.peak": "1234\n",
		"pids.events": "max 0\n", "cpu.stat": "usage_usec 5000000\nuser_usec 1\n",
	}
}

func counters1() map[string]string {
	return map[string]string{
		"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", "memory.max_usage_in_bytes": "1234\n",
		"pids.events": "max 0\n", "cpuacct.usage": "5000000000\n",
	}
}

func groupWith(t *testing.T, version int, files map[string]string) group {
	t.Helper()
	d := cgroupDir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(d.file(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if version == 2 {
		return group2{d}
	}
	return &group1{dirs: map[string]cgroupDir{"memory": d, "pids": d, "cpuacct": d}}
}

// usageOf asks a backend for a box that is being watched.
func usageOf(t *testing.T, b *box) (plugins.Usage, error) {
	t.Helper()
	b.meter = newMeter()
	backend := &Backend{}
	if err := backend.boxes.Enter("a", b.meter); err != nil {
		t.Fatal(err)
	}
	exited, watched := make(chan struct{}), make(chan error, 1)
	go func() { watched <- b.watch(t.Context(), pollInterval{least: time.Hour}, make(chan error), exited) }()
	u, err := backend.Usage(t.Context(), "a")
	close(exited)
	if err := <-watched; err != nil {
		t.Error(err)
	}
	return u, err
}

func TestUsage(t *testing.T) {
	quiet := plugins.Usage{PeakMemory: 1234, CPUTime: 5 * time.Second}
	hit := plugins.Usage{PeakMemory: 1234, CPUTime: 5 * time.Second, LimitHit: true}
	tests := []struct {
		name    string
		version int
		files   map[string]string // others than those of a quiet box
		want    plugins.Usage
	}{
		{"quiet 1", 1, nil, quiet},
		{"quiet 2", 2, nil, quiet},
		{"refused forks 1", 1, map[string]string{"pids.events": "max 1\n"}, hit},
		{"refused forks 2", 2, map[string]string{"pids.events": "max 1\n"}, hit},
		{"a process ended 1", 1,
			map[string]string{"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"},
			hit},
		{"a process ended 2", 2, map[string]string{"memory.events": "oom 1\noom_kill 1\n"}, hit},
		{"nothing to end 1", 1,
			map[string]string{"memory.oom_control": "oom_kill_disable 0\nunder_oom 1\noom_kill 0\n"},
			hit},
		{"nothing to end 2", 2, map[string]string{"memory.events": "oom 1\noom_kill 0\n"}, hit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := counters1()
			if tt.version == 2 {
				files = counters2()
			}
			maps.Copy(files, tt.files)
			got, err := usageOf(t, &box{group: groupWith(t, tt.version, files)})
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

func TestAMissingCounterIsNotZero(t *testing.T) {
	for version, all := range map[int]map[string]string{1: counters1(), 2: counters2()} {
		for name := range all {
			if name == "memory.peak" || name == "memory.max_usage_in_bytes" {
				continue // no verdict depends on it
			}
			gone, short := maps.Clone(all), maps.Clone(all)
			delete(gone, name)
			short[name] = "other 7\n"
			for how, files := range map[string]map[string]string{"gone": gone, "without its line": short} {
				if u, err := usageOf(t, &box{group: groupWith(t, version, files)}); err == nil {
					t.Errorf("version %d, %s %s: %+v", version, name, how, u)
				}
			}
		}
	}
}

func TestAKilledBoxIsNotMeasured(t *testing.T) {
	if u, err := usageOf(t, &box{group: groupWith(t, 2, counters2()), killed: plugins.ReasonPids}); !errors.Is(err,
		errKilled) {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestARefusedBoxNamesItsBackend(t *testing.T) {
	_, err := (&Backend{}).Run(t.Context(), plugins.Spec{ID: "a/b"}, strings.NewReader(""), io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), Name+": ") {
		t.Errorf("error %v", err)
	}
}
