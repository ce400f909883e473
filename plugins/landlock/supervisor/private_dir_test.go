package supervisor

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestDirectoriesThatAreRemovedMeanwhile: scripts remove directories during the walk, as tempfile
// does. That counted as too much written.
func TestDirectoriesThatAreRemovedMeanwhile(t *testing.T) {
	dir, done, ended := t.TempDir(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			default:
				_ = os.MkdirAll(filepath.Join(dir, "a", "b", "c"), 0o700)
				_ = os.RemoveAll(filepath.Join(dir, "a"))
			}
		}
	}()
	const walks = 20000
	vain := 0
	for range walks {
		_, err := tmpUsage(dir, 1<<20)
		if err != nil && !errors.Is(err, errMoved) {
			t.Errorf("%v", err)
			break
		}
		if err != nil {
			vain++
		}
	}
	if vain > walks/2 { // maxVain in a row would then be too likely
		t.Errorf("%d walks of %d were in vain", vain, walks)
	}
	close(done)
	<-ended
}

// TestDirectoriesOfAnyMode: content counts whatever a directory's mode. One without search
// permission counted as too much.
func TestDirectoriesOfAnyMode(t *testing.T) {
	runtime.LockOSThread() // not unlocked: the thread ends with what it became
	if os.Geteuid() == 0 {
		if err := actAs(65534); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("/tmp", "modes-") // the parent of t.TempDir is closed
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	inner := filepath.Join(dir, "inner")
	for _, closed := range []string{dir, inner} {
		for mode := range os.FileMode(8) {
			if err := errors.Join(os.MkdirAll(inner, 0o700),
				os.WriteFile(filepath.Join(inner, "file"), make([]byte, 100<<10), 0o600),
				os.Chmod(closed, mode<<6)); err != nil {
				t.Fatal(err)
			}
			if n, err := tmpUsage(dir, 1<<20); err != nil || n < 100<<10 || n > 120<<10 {
				t.Errorf("%s with mode %o0: %d bytes, %v", closed, mode, n, err)
			}
		}
	}
}
