package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/computclaw/airlock/plugins/wire"
)

// TestHoleEveryEntryIsCounted: only the first few ignored entries were counted.
func TestHoleEveryEntryIsCounted(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(wire.OutDir, 0o700); err != nil {
		t.Fatal(err)
	}
	const most, more = 1500, 2345
	for n := range most + more {
		if err := os.Symlink("x", filepath.Join(wire.OutDir, strconv.Itoa(n))); err != nil {
			t.Fatal(err)
		}
	}
	out := openOutDir(most)
	defer out.close()
	if len(out.names) != most || out.more != more {
		t.Errorf("%d entries are looked at and %d are not", len(out.names), out.more)
	}
}
