package httpx

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/computclaw/airlock/app"
)

// Every code in app/errors.go has a status here.
func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Code" {
			return true
		}
		text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).
			Value) //nolint:forcetypeassert // a constant of strings
		if err != nil {
			t.Fatal(err)
		}
		found++
		if _, ok := statuses[app.Code(text)]; !ok {
			t.Errorf("%s (%q) has no status", spec.Names[0].Name, text)
		}
		return true
	})
	if found < len(statuses) {
		t.Errorf("found %d codes, but %d have a status", found, len(statuses))
	}
}
