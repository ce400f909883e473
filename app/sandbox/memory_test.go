package sandbox

import (
	"testing"
	"testing/fstest"
)

func TestDefaultsGoByMemory(t *testing.T) {
	t.Parallel()
	const gib = "MemAvailable:    1048576 kB\n"
	for name, c := range map[string]struct {
		files         map[string]string
		pool, waiters int
	}{
		"nothing is told":              {nil, 4, 100},
		"not a number":                 {map[string]string{"proc/meminfo": "MemAvailable: x kB\n"}, 4, 100},
		"enough":                       {map[string]string{"proc/meminfo": "MemTotal: 1 kB\n" + gib}, 4, 16},
		"more than any box could take": {map[string]string{"proc/meminfo": "MemAvailable: 1073741824 kB\n"}, 4, 1000},
		"little":                       {map[string]string{"proc/meminfo": "MemAvailable: 524288 kB\n"}, 2, 8},
		"hardly any":                   {map[string]string{"proc/meminfo": "MemAvailable: 1024 kB\n"}, 1, 1},
		"a container of version 2": {map[string]string{"proc/meminfo": gib, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "536870912\n", "sys/fs/cgroup/memory.current": "1000000\n"}, 1, 7},
		"a container without limit": {map[string]string{"proc/meminfo": gib, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "max\n"}, 4, 16},
		"a unit below a slice with a limit": {map[string]string{"proc/meminfo": gib,
			"proc/self/cgroup": "0::/system.slice/airlock.service\n",
			"sys/fs/cgroup/system.slice/airlock.service/memory.max": "max\n",
			"sys/fs/cgroup/system.slice/memory.max":                 "536870912\n"}, 2, 8},
		"a container of version 1, told of the host's path": {map[string]string{"proc/meminfo": gib,
			"proc/self/cgroup":                           "5:cpu:/\n4:memory:/docker/abc\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "500000000\n"}, 1, 1},
		"no limit in version 1": {map[string]string{"proc/meminfo": gib, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "500000000\n"}, 4, 16},
	} {
		root := fstest.MapFS{}
		for path, text := range c.files {
			root[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if pool, waiters := DefaultPool(4, root), DefaultWaiters(root); pool != c.pool || waiters != c.waiters {
			t.Errorf("%s: %d boxes ready and %d that wait, want %d and %d", name, pool, waiters, c.pool, c.waiters)
		}
	}
}
