package repo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// guard is a test in SECURITY.md: package, or a directory above, and function.
var guard = regexp.MustCompile("`([a-z][a-z0-9/]*)\\.(Test[A-Za-z0-9]+)`")

// TestGuardsExist: SECURITY.md names only existing tests, and at least one for each invariant.
func TestGuardsExist(t *testing.T) {
	text, err := os.ReadFile("../../../../../SECURITY.md")
	e2e.Must(t, err)
	rows := regexp.MustCompile(`(?m)^\| ([1-7]) \|.*$`).FindAllSubmatch(text, -1)
	if len(rows) != 7 {
		t.Fatalf("%d invariants", len(rows))
	}
	tests := map[string]map[string]bool{}
	for _, row := range rows {
		named := guard.FindAllSubmatch(row[0], -1)
		if len(named) == 0 {
			t.Errorf("invariant %s has no test", row[1])
		}
		for _, n := range named {
			dir := string(n[1])
			if tests[dir] == nil {
				tests[dir] = testsIn(t, filepath.Join("../../../../..", dir))
			}
			if !tests[dir][string(n[2])] {
				t.Errorf("invariant %s: there is no %s in %s", row[1], n[2], dir)
			}
		}
	}
}

// TestNamedTestsExist: a test that a document names is there.
func TestNamedTestsExist(t *testing.T) {
	have := map[string]bool{"TestBackend": true} // of an operator's own plugin, in docs/plugins.md
	e2e.Must(t, filepath.WalkDir("../../../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range regexp.MustCompile(`(?m)^func ((Test|Benchmark|Fuzz)[A-Z]\w*)`).FindAllSubmatch(text, -1) {
			have[string(found[1])] = true
		}
		return err
	}))
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/backends/*.md"} {
		paths, err := filepath.Glob(filepath.Join("../../../../..", pattern))
		e2e.Must(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			e2e.Must(t, err)
			for _, name := range regexp.MustCompile(`\b(Test|Benchmark|Fuzz)[A-Z]\w*`).FindAllString(string(text), -1) {
				if !have[name] {
					t.Errorf("%s names %s, which is not there", path, name)
				}
			}
		}
	}
}

func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	e2e.Must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				found[f.Name.Name] = true
			}
		}
		return nil
	}))
	return found
}
