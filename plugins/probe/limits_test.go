package probe

import (
	"bytes"
	"os/exec"
	"syscall"
	"testing"
)

func TestStrainEndsWhereNothingHoldsTheLimit(t *testing.T) {
	cmd := exec.Command("/usr/bin/python3", "-c", LimitScript)
	cmd.Stdin = bytes.NewReader(LimitInput(16 << 20))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("no usage")
	}
	if took := usage.Maxrss << 10; took < 48<<20 || took > 128<<20 {
		t.Errorf("it took %d MiB", took>>20)
	}
}
