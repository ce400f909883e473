package memusage

import (
	"path/filepath"
	"testing"
)

func TestParse(t *testing.T) {
	status := "Name:\tVmRSS: 1 kB\nVmRSS:\t    1024 kB\nVmPTE:\t      8 kB\nVmSwap:\t      16 kB\nHugetlbPages:\t    " +
		"2048 kB\n"
	f, ok := parse([]byte(status))
	if want := (Usage{Resident: 1 << 20, Hidden: 2072 << 10}); !ok || f != want {
		t.Errorf("%+v, %t, want %+v", f, ok, want)
	}
	if f, ok := parse([]byte("Name:\tpython3\nState:\tZ (zombie)\n")); ok {
		t.Errorf("a thread that has ended: %+v", f)
	}
}

func TestOfThreads(t *testing.T) {
	threads, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		t.Fatal(err)
	}
	f := OfThreads(threads)
	share := f.Share()
	if f.Thread == "" || f.Resident < 1<<20 || f.Hidden < 4<<10 || share < f.Hidden {
		t.Errorf("%+v, share %d", f, share)
	}
	if f := OfThreads(nil); f != (Usage{}) || f.Share() != 0 {
		t.Errorf("nobody takes %+v", f)
	}
}
