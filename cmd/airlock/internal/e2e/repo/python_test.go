package repo_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestPythonLinesAreShort: Python has at most 120 columns, comments 100. testdata and what Git
// ignores are exempt.
func TestPythonLinesAreShort(t *testing.T) {
	t.Parallel()
	root, files := "../../../../..", 0
	e2e.Must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			name := d.Name()
			if path != root && (name[0] == '.' || slices.Contains([]string{"testdata", "data", "node_modules"}, name)) {
				return fs.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(path); ext != ".py" && ext != ".pyi" {
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		for i, line := range strings.Split(string(text), "\n") {
			most := 120
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				most = 100
			}
			if n := utf8.RuneCountInString(line); n > most {
				t.Errorf("%s:%d has %d columns; the limit is %d", path, i+1, n, most)
			}
		}
		return err
	}))
	if files < 100 {
		t.Errorf("found only %d files of Python", files)
	}
}
