package repo_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestArchitectureNamesPackages: each package not only for tests has a row in docs/architecture.md.
func TestArchitectureNamesPackages(t *testing.T) {
	t.Parallel()
	list := exec.Command("go", "list", "-f", "{{if .GoFiles}}{{.ImportPath}}{{end}}", "./...")
	list.Dir = "../../../../.."
	out, err := list.Output()
	e2e.Must(t, err)
	text, err := os.ReadFile("../../../../../docs/architecture.md")
	e2e.Must(t, err)
	named := namedPackages(string(text))
	for path := range strings.FieldsSeq(string(out)) {
		dir := strings.TrimPrefix(path, "github.com/computclaw/airlock/")
		if !named[dir] && !ofTests.MatchString(dir) {
			t.Errorf("docs/architecture.md has no row for %s", dir)
		}
	}
}

// ofTests are packages that only tests and examples use.
var ofTests = regexp.MustCompile(`test(/|only$|$)|/e2e/|^examples`)

var (
	quoted  = regexp.MustCompile("`([^`]+)`")
	choices = regexp.MustCompile(`^(.*)\{([^}]+)\}$`)
)

// namedPackages are the paths in the first column of the tables. "a/{b,c}" stands for two, and "…"
// for the directory of the path before.
func namedPackages(text string) map[string]bool {
	named := map[string]bool{}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		dir := ""
		for _, found := range quoted.FindAllStringSubmatch(cells[1], -1) {
			path := strings.Replace(found[1], "…", dir, 1)
			dir = path[:max(0, strings.LastIndex(path, "/"))]
			if of := choices.FindStringSubmatch(path); of != nil {
				for name := range strings.SplitSeq(of[2], ",") {
					named[of[1]+name] = true
				}
			}
			named[path] = true
		}
	}
	return named
}
