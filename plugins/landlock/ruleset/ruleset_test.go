package ruleset

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestEnter(t *testing.T) {
	if ABI() < 1 {
		t.Fatal("this kernel has no Landlock")
	}
	open, closed := t.TempDir(), t.TempDir()
	for _, dir := range []string{open, closed} {
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for abi := 1; abi <= ABI(); abi++ {
		var inside, outside, made, signal error
		var pins []*os.File
		var err error
		OnThrowawayThread(func() {
			if unix.Gettid() == unix.Getpid() {
				err = errors.New("on the first thread")
				return
			}
			pins, err = Ruleset{Private: open, Files: []string{"/proc/stat", "/nonexistent"}}.Enforce(abi)
			_, inside = os.ReadFile(filepath.Join(open, "file"))
			_, outside = os.ReadFile(filepath.Join(closed, "file"))
			made = os.WriteFile(filepath.Join(closed, "new"), nil, 0o600)
			signal = unix.Kill(os.Getppid(), 0)
		})
		if err != nil || inside != nil || !errors.Is(outside, unix.EACCES) || !errors.Is(made, unix.EACCES) ||
			len(pins) != 1 {
			t.Errorf("version %d: %v; inside %v, outside %v, made %v, %d pins", abi, err, inside, outside, made,
				len(pins))
		}
		if scoped := errors.Is(signal, unix.EPERM); os.Geteuid() == 0 && scoped != (abi >= ScopedABI) {
			t.Errorf("version %d: signal %v", abi, signal)
		}
		for _, pin := range pins {
			pin.Close()
		}
	}
	if _, err := os.ReadFile(filepath.Join(closed, "file")); err != nil {
		t.Error(err)
	}
}

// TestInnerRulesetLetsFilesMove checks a script's view inside both rulesets. Every ruleset denies
// moving a file to another directory by default.
func TestInnerRulesetLetsFilesMove(t *testing.T) {
	for abi := 1; abi <= ABI(); abi++ {
		private, closed := t.TempDir(), t.TempDir()
		for _, dir := range []string{private, closed} {
			if err := os.MkdirAll(filepath.Join(dir, "from"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(private, "from/file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		var err, out, within error
		OnThrowawayThread(func() {
			if _, err = (Ruleset{Private: private}).Enforce(abi); err != nil {
				return
			}
			if err = EnforceInner(abi); err != nil {
				return
			}
			out = os.Rename(filepath.Join(private, "from/file"), filepath.Join(closed, "file"))
			within = os.Rename(filepath.Join(private, "from/file"), filepath.Join(private, "file"))
		})
		if err != nil || !errors.Is(out, unix.EXDEV) && !errors.Is(out, unix.EACCES) {
			t.Errorf("version %d: %v; to outside: %v", abi, err, out)
		}
		if moved := within == nil; moved != (abi >= referABI) {
			t.Errorf("version %d: within the private directory: %v", abi, within)
		}
	}
}
