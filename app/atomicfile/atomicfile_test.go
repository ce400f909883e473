package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// volumes are the ways in which hard links fail, and one in which they work.
var volumes = map[string]func(from, to string) error{ //nolint:gochecknoglobals // a table
	"links": os.Link,
	"FAT":   func(from, to string) error { return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM} },
	"network": func(from, to string) error {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EOPNOTSUPP}
	},
	"not made at all": func(from,
		to string) error {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.ENOSYS}
	},
}

func TestAFileGetsItsNameOnVolumesWithoutHardLinksToo(t *testing.T) {
	for what, link := range volumes {
		dir := t.TempDir()
		from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
		write(t, from, "new")
		if err := claim(from, to, link); err != nil || read(t, to) != "new" {
			t.Errorf("%s: %v", what, err)
		}
		_ = os.Remove(from)
		write(t, from, "newer")
		if err := claim(from, to, link); !errors.Is(err, fs.ErrExist) || read(t, to) != "new" || read(t, from) != "newer" {
			t.Errorf("%s: a file was replaced, or %v", what, err)
		}
		if err := claim(filepath.Join(dir, "none"), filepath.Join(dir, "other"), link); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestFinishLeavesAWholeFileOrNone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	finish := func(text string, failure error) error {
		f, err := os.CreateTemp(dir, "part-*")
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString(text)
		return Finish(f, path, errors.Join(failure, err))
	}
	broken := errors.New("broken")
	if err := finish("half", broken); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := finish("whole", nil); err != nil || read(t, path) != "whole" {
		t.Errorf("%v", err)
	}
	if err := finish("another", nil); !errors.Is(err, fs.ErrExist) || read(t, path) != "whole" {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// Linking alone fails where there are no hard links.
func TestHardLinksAreMadeHereOnly(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && strings.HasPrefix(e.Name(), ".") && e.Name() != ".." {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			filepath.Base(filepath.Dir(path)) == "files" {
			return nil
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("os.Link(")) {
			t.Errorf("%s makes hard links; atomicfile.Claim does it everywhere", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
