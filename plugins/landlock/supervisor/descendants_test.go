package supervisor

import (
	"os"
	"os/exec"
	"testing"

	"github.com/computclaw/airlock/plugins/procfs"
)

// A chain of processes took a walk to its top for each of them.
func TestADeepTreeTakesTwoLooksPerProcess(t *testing.T) {
	const first, deep = 100, 10_000
	looks := 0
	k := &descendants{self: first, known: map[int]uint64{}, stat: func(pid int) (procfs.Stat, error) {
		looks++
		return procfs.Stat{Parent: pid - 1, Start: uint64(pid)}, nil
	}}
	for pid := first + 1; pid <= first+deep; pid++ {
		if !k.has(pid) {
			t.Fatalf("process %d is not seen as the box's", pid)
		}
	}
	if looks > 2*deep {
		t.Errorf("%d looks at %d processes", looks, deep)
	}
	looks = 0
	if k.known = map[int]uint64{}; !k.has(first+deep) || looks > deep {
		t.Errorf("the deepest first: %d looks", looks)
	}
}

// A reused number must not be taken for its former process.
func TestAnotherProcessWithAKnownNumberIsNoDescendant(t *testing.T) {
	processes := map[int]procfs.Stat{
		100: {Parent: 1, Start: 10}, 101: {Parent: 100, Start: 20}, 102: {Parent: 101, Start: 30}, 1: {Start: 1},
	}
	k := &descendants{self: 100, known: map[int]uint64{}, stat: func(pid int) (procfs.Stat, error) {
		if stat, found := processes[pid]; found {
			return stat, nil
		}
		return procfs.Stat{}, os.ErrNotExist
	}}
	if !k.has(102) || !k.has(101) {
		t.Fatal("the box's own are not seen as such")
	}
	processes[101] = procfs.Stat{Parent: 1, Start: 40} // a neighbour now
	if k.has(101) {
		t.Error("a process of somebody else is taken for the one that had its number")
	}
	processes[103] = procfs.Stat{Parent: 101, Start: 50}
	if k.has(103) {
		t.Error("so is its child")
	}
	for _, pid := range []int{0, 1, 999} {
		if k.has(pid) {
			t.Errorf("process %d is seen as the box's", pid)
		}
	}
}

func TestDescendantsOfThisProcess(t *testing.T) {
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	if !newDescendants().has(child.Process.Pid) {
		t.Error("a child is not seen as such")
	}
	if newDescendants().has(os.Getppid()) {
		t.Error("the parent is taken for a child")
	}
}
