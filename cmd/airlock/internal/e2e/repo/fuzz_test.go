package repo_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz[A-Za-z0-9]*)`)

// TestEveryFuzzTargetHasACorpus: every test run repeats earlier finds of fuzzing.
func TestEveryFuzzTargetHasACorpus(t *testing.T) {
	targets := 0
	err := filepath.WalkDir("../../../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			if d != nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && strings.Trim(d.Name(), ".") != "" {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range fuzzTarget.FindAllSubmatch(text, -1) {
			targets++
			corpus, err := os.ReadDir(filepath.Join(filepath.Dir(path), "testdata", "fuzz", string(found[1])))
			if err != nil || len(corpus) == 0 {
				t.Errorf("%s in %s has no corpus in testdata/fuzz: run make fuzz ONLY=%s and keep some of what it finds", found[1],
					path, found[1])
			}
		}
		return nil
	})
	e2e.Must(t, err)
	if targets < 20 {
		t.Errorf("only %d fuzz targets were found", targets)
	}
}
