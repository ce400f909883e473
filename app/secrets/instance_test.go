package secrets

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/computclaw/airlock/app"
)

func TestLoadInstanceKeyOrder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "key")
	write(t, file, second+"\r\n", 0o444)

	key, source, created, err := LoadInstanceKey(app.NewSecret(" "+first+"\n"), file, dir)
	if err != nil || key.Reveal() != first || source != "AIRLOCK_SECRET_KEY" || created {
		t.Errorf("value: %s, %v, %v", source, created, err)
	}
	key, source, created, err = LoadInstanceKey(app.Secret{}, file, dir)
	if err != nil || key.Reveal() != second || source != "AIRLOCK_SECRET_KEY_FILE" || created {
		t.Errorf("file: %s, %v, %v", source, created, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("a key was made that nobody needs: %v", entries)
	}
}

func TestInstanceKeyIsMadeOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	key, source, created, err := LoadInstanceKey(app.Secret{}, "", dir)
	if err != nil || !created || source != filepath.Join(dir, "instance.key") || len(key.Reveal()) < MinKey {
		t.Fatalf("%s, %v, %v", source, created, err)
	}
	info, err := os.Stat(source)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("something is left over: %v", entries)
	}
	again, _, created, err := LoadInstanceKey(app.Secret{}, "", dir)
	if err != nil || created || !again.Equal(key) {
		t.Errorf("second start: %v, %v", created, err)
	}
}

func TestInstanceKeyIsMadeOnceByMany(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	keys, made := make([]app.Secret, 16), make([]bool, 16)
	for i := range keys {
		wg.Go(func() {
			var err error
			if keys[i], _, made[i], err = LoadInstanceKey(app.Secret{}, "", dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	makers := 0
	for i := range keys {
		if !keys[i].Equal(keys[0]) {
			t.Error("two processes have different keys")
		}
		if made[i] {
			makers++
		}
	}
	if makers != 1 {
		t.Errorf("%d made the key", makers)
	}
}

func TestInstanceKeyIsRefused(t *testing.T) {
	good := first + "\n"
	cases := map[string]struct {
		env  string
		file func(t *testing.T, dir string) string
		want string
	}{
		"short value": {env: "short-key-value", want: "at least 32"},
		"missing file": {file: func(_ *testing.T, dir string) string { return filepath.Join(dir, "nowhere") },
			want: "no such file"},
		"short file": {file: func(t *testing.T,
			dir string) string {
			return write(t, filepath.Join(dir, "k"), "short", 0o600)
		}, want: "at least 32"},
		"empty file": {file: func(t *testing.T, dir string) string { return write(t, filepath.Join(dir, "k"), "\n", 0o600) },
			want: "at least 32"},
		"large file": {file: func(t *testing.T, dir string) string {
			return write(t, filepath.Join(dir, "k"), strings.Repeat("k", 5000), 0o600)
		}, want: "larger"},
		"directory": {file: func(_ *testing.T, dir string) string { return dir }, want: "regular file"},
		"group": {file: func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "instance.key"), good, 0o640)
			return ""
		}, want: "chmod 600"},
		"others": {file: func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "instance.key"), good, 0o604)
			return ""
		}, want: "chmod 600"},
		"own too short": {file: func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "instance.key"), "x", 0o600)
			return ""
		}, want: "at least 32"},
		"own is a link": {file: func(t *testing.T, dir string) string {
			target := write(t, filepath.Join(t.TempDir(), "k"), good, 0o600)
			if err := os.Symlink(target, filepath.Join(dir, "instance.key")); err != nil {
				t.Fatal(err)
			}
			return ""
		}, want: "symbolic links"},
		"own is a fifo": {file: func(t *testing.T, dir string) string {
			if err := syscall.Mkfifo(filepath.Join(dir, "instance.key"), 0o600); err != nil {
				t.Fatal(err)
			}
			return ""
		}, want: "regular file"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir, file := t.TempDir(), ""
			if c.file != nil {
				file = c.file(t, dir)
			}
			key, _, created, err := LoadInstanceKey(app.NewSecret(c.env), file, dir)
			if err == nil || !key.Empty() || created {
				t.Fatalf("it was taken: created %v, %v", created, err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error doesn't say %q: %v", c.want, err)
			}
			if strings.Contains(err.Error(), first) || (c.env != "" && strings.Contains(err.Error(), c.env)) {
				t.Errorf("the error tells the key: %v", err)
			}
		})
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// A rotation that was killed leaves no keys behind after the next one.
func TestAKilledRotationLeavesNoKeysBehind(t *testing.T) {
	dir := t.TempDir()
	if err := WriteKeys(dir, app.NewSecret(first)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".instance.key-123"), second+"\n"+first+"\n", 0o600)
	if err := WriteKeys(dir, app.NewSecret(second), app.NewSecret(first)); err != nil {
		t.Fatal(err)
	}
	if err := WriteKeys(dir, app.NewSecret(second)); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != InstanceKeyFile {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestHoleM4UnfinishedKeyFile: a start killed while it wrote the instance key left a key file for
// ever. The next start drops it.
func TestHoleM4UnfinishedKeyFile(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".instance.key-123"), second, 0o600)
	if err := DropUnfinishedKeys(dir); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
