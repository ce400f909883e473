package docker

import (
	"fmt"

	"github.com/computclaw/airlock/plugins"
)

// defaults fill what a spec leaves at zero.
func defaults() plugins.Limits {
	return plugins.Limits{Memory: 512 << 20, CPU: 1, Pids: 64, Tmp: 64 << 20, Files: 256}
}

// Bounds of what makes sense. Below the minimum a container could not start, so nobody would learn what was wrong.
const (
	minMemory = 16 << 20
	minPids   = 12
	minFiles  = 16
	minTmp    = 4 << 10
	minCPU    = 0.01
)

const shmSize = 4 << 20 // bytes in /dev/shm

// bound replaces zeroes by the defaults and refuses limits that no box can start with.
func bound(l plugins.Limits) (plugins.Limits, error) {
	d := defaults()
	if l.CPU == 0 {
		l.CPU = d.CPU
	}
	if !(l.CPU >= minCPU && l.CPU <= 1<<16) { // NaN too
		return l, fmt.Errorf("cpu limit %v is below %v cores or beyond reason", l.CPU, minCPU)
	}
	for _, n := range []struct {
		what       string
		value      *int64
		def, least int64
	}{
		{"memory", &l.Memory, d.Memory, minMemory},
		{"process", &l.Pids, d.Pids, minPids},
		{"tmp", &l.Tmp, d.Tmp, minTmp},
		{"file", &l.Files, d.Files, minFiles},
	} {
		if *n.value == 0 {
			*n.value = n.def
		}
		if *n.value < n.least {
			return l, fmt.Errorf("%s limit %d is below %d", n.what, *n.value, n.least)
		}
	}
	return l, nil
}
