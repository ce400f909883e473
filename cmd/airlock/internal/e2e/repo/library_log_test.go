package repo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestLibrariesLogNothing: each program first discards package log's output.
func TestLibrariesLogNothing(t *testing.T) {
	for _, program := range []string{"airlock", "airlock-init", "airlock-remote"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../../../..", program, "main.go"), nil, 0)
		e2e.Must(t, err)
		first := ""
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "main" {
				if statement, ok := f.Body.List[0].(*ast.ExprStmt); ok {
					first = types.ExprString(statement.X)
				}
			}
		}
		if first != "log.SetOutput(io.Discard)" {
			t.Errorf("%s begins with %q", program, first)
		}
	}
}
