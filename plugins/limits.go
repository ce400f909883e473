package plugins

import "fmt"

// DefaultLimits are what a box gets where its spec leaves a limit at zero.
func DefaultLimits() Limits {
	return Limits{Memory: 512 << 20, CPU: 1, Pids: 64, Tmp: 64 << 20, Files: 256}
}

// mostCPU is beyond any machine, in cores. Small units of time can't overflow with it.
const mostCPU = 1 << 16

// Bound returns l with zeroes replaced by DefaultLimits. It refuses limits below least, the
// minimum for a box's set-up.
func (l Limits) Bound(least Limits) (Limits, error) {
	d := DefaultLimits()
	if l.CPU == 0 {
		l.CPU = d.CPU
	}
	if !(l.CPU >= least.CPU && l.CPU <= mostCPU) { // NaN too
		return l, fmt.Errorf("cpu limit %v is below %v cores or beyond reason", l.CPU, least.CPU)
	}
	for _, n := range []struct {
		what           string
		value          *int64
		instead, least int64
		unit           string
	}{
		{"memory", &l.Memory, d.Memory, least.Memory, " bytes"},
		{"process", &l.Pids, d.Pids, least.Pids, ""},
		{"tmp", &l.Tmp, d.Tmp, least.Tmp, " bytes"},
		{"file", &l.Files, d.Files, least.Files, ""},
	} {
		if *n.value == 0 {
			*n.value = n.instead
		}
		if *n.value < n.least {
			return l, fmt.Errorf("%s limit %d is below %d%s", n.what, *n.value, n.least, n.unit)
		}
	}
	return l, nil
}
