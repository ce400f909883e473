package procfs

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

func TestTree(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 1000 & echo; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	tree := Tree(cmd.Process.Pid)
	if len(tree) != 2 || tree[0].PID != cmd.Process.Pid || !slices.Equal(Children(tree[0].PID), []int{tree[1].PID}) {
		t.Fatalf("tree %v", tree)
	}
	stat, err := StatOf(tree[1].PID)
	if err != nil || stat.Parent != tree[0].PID || stat.Start == 0 || stat.State == 'Z' {
		t.Errorf("%+v, %v", stat, err)
	}
	for _, p := range tree {
		if process, err := os.FindProcess(p.PID); err == nil {
			_ = process.Kill()
		}
	}
}

func TestNoSuchProcess(t *testing.T) {
	if tree := Tree(1 << 30); tree != nil {
		t.Errorf("tree %v", tree)
	}
	if stat, err := StatOf(1 << 30); err == nil {
		t.Errorf("%+v", stat)
	}
}
