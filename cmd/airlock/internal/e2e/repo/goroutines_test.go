package repo_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// unwatched are packages that start goroutines without a leak check of their own, with the package
// that checks.
func unwatched() map[string]string {
	return map[string]string{
		"app/leases":         "the tests of app/engine run it",
		"cmd/airlock":        "TestSoak and TestNothingIsLeft count the server's",
		"cmd/airlock-init":   "it ends with its box",
		"plugins/bubblewrap": "a process of its own, whose goroutines TestNothingIsLeft counts",
		"plugins/docker":     "a process of its own, whose goroutines TestNothingIsLeft counts",
		"app/web/mcphttp":    "app/web's tests watch the whole server",
		"cmd/airlock-bench":  "a process of its own that measures and ends",
		"plugins/landlock":   "a process of its own, whose goroutines TestNothingIsLeft counts",
		"plugins/ssh":        "a process of its own, whose goroutines TestNothingIsLeft counts",
	}
}

var (
	startsGoroutine   = regexp.MustCompile(`(?m)^\s*go (func\b|[a-z])|\.Go\(func`)
	watchesGoroutines = regexp.MustCompile(`(?m)^\s*"go\.uber\.org/goleak"$|enginetest\.Main\(m\)`)
	forTests          = regexp.MustCompile(
		`^(examples/|cmd/airlock/internal/e2e$|views/browsertest$|plugins/fake$|plugins/sandboxtest|.*test$|.*/testserver$)`)
)

// TestGoroutinesAreWatched: packages that start goroutines test for leaks.
func TestGoroutinesAreWatched(t *testing.T) {
	t.Parallel()
	starting, watching := goroutinesIn(t)
	if len(starting) < 15 {
		t.Errorf("only %d packages start goroutines", len(starting))
	}
	for dir := range starting {
		if !watching[dir] && unwatched()[dir] == "" && !forTests.MatchString(dir) {
			t.Errorf("%s starts goroutines, and its tests don't look for those that stay: see app/transfer/main_test.go", dir)
		}
	}
	for dir := range unwatched() {
		if !starting[dir] || watching[dir] {
			t.Errorf("%s needs no exception", dir)
		}
	}
}

// TestRaceDetectorIsOn: the Makefile uses it for each package that starts goroutines.
func TestRaceDetectorIsOn(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../../Makefile")
	e2e.Must(t, err)
	list := regexp.MustCompile(`(?m)^RACE_PACKAGES := ((?:.*\\\n)*.*)$`).FindSubmatch(text)
	if list == nil {
		t.Fatal("the Makefile has no RACE_PACKAGES")
	}
	patterns := strings.Fields(strings.ReplaceAll(string(list[1]), "\\", ""))
	raced := func(dir string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			below, all := strings.CutSuffix(pattern, "/...")
			return "./"+dir == below || all && strings.HasPrefix("./"+dir, below+"/")
		})
	}
	starting, _ := goroutinesIn(t)
	for dir := range starting {
		own := dir == "app/redact" // has tests of its own for it
		if !own && !strings.HasPrefix(dir, "cmd/") && !forTests.MatchString(dir) && !raced(dir) {
			t.Errorf("%s starts goroutines and is not in the Makefile's RACE_PACKAGES", dir)
		}
	}
}

// goroutinesIn returns the packages that start goroutines, and those that test for leaks.
func goroutinesIn(t *testing.T) (starting, watching map[string]bool) {
	t.Helper()
	starting, watching = map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir("../../../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			if d != nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && strings.Trim(d.Name(), ".") != "" {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel("../../../../..", filepath.Dir(path))
		switch {
		case strings.HasSuffix(path, "_test.go"):
			watching[dir] = watching[dir] || watchesGoroutines.Match(text)
		case startsGoroutine.Match(text):
			starting[dir] = true
		}
		return err
	})
	e2e.Must(t, err)
	return starting, watching
}
