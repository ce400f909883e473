package engine

import (
	"testing"
	"testing/fstest"
)

func TestDefaultPool(t *testing.T) {
	const gib = "MemAvailable:    1048576 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int
	}{
		"nothing is told": {nil, 4},
		"not a number":    {map[string]string{"proc/meminfo": "MemAvailable: x kB\n"}, 4},
		"enough":          {map[string]string{"proc/meminfo": "MemTotal: 1 kB\n" + gib}, 4},
		"little":          {map[string]string{"proc/meminfo": "MemAvailable: 524288 kB\n"}, 2},
		"hardly any":      {map[string]string{"proc/meminfo": "MemAvailable: 1024 kB\n"}, 1},
		"a container of version 2": {map[string]string{"proc/meminfo": gib, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "536870912\n", "sys/fs/cgroup/memory.current": "1000000\n"}, 1},
		"a container without limit": {map[string]string{"proc/meminfo": gib, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 4},
		"a unit below a slice with a limit": {map[string]string{"proc/meminfo": gib, "proc/self/cgroup": "0::/system.slice/airlock.service\n",
			"sys/fs/cgroup/system.slice/airlock.service/memory.max": "max\n", "sys/fs/cgroup/system.slice/memory.max": "536870912\n"}, 2},
		"a container of version 1, told of the host's path": {map[string]string{"proc/meminfo": gib, "proc/self/cgroup": "5:cpu:/\n4:memory:/docker/abc\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "500000000\n"}, 1},
		"no limit in version 1": {map[string]string{"proc/meminfo": gib, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "500000000\n"}, 4},
	} {
		root := fstest.MapFS{}
		for path, text := range c.files {
			root[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := defaultPool(4, root); got != c.want {
			t.Errorf("%s: %d boxes, want %d", name, got, c.want)
		}
	}
}
