package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// guard is a test as SECURITY.md names it: package and function.
var guard = regexp.MustCompile("`([a-z][a-z/]*)\\.(Test[A-Za-z0-9]+)`")

// TestGuardsExist: SECURITY.md names no test that is not there, and each of its invariants has at least one.
func TestGuardsExist(t *testing.T) {
	text, err := os.ReadFile("../../SECURITY.md")
	must(t, err)
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
				tests[dir] = testsIn(t, filepath.Join("../..", dir))
			}
			if !tests[dir][string(n[2])] {
				t.Errorf("invariant %s: there is no %s in %s", row[1], n[2], dir)
			}
		}
	}
}

// testsIn are the names of the functions in a directory's test files.
func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	must(t, err)
	found := map[string]bool{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		must(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				found[f.Name.Name] = true
			}
		}
	}
	return found
}
