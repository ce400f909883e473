package repo_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestLinksOfDocumentsLead: each relative link leads to a file and heading.
func TestLinksOfDocumentsLead(t *testing.T) {
	t.Parallel()
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		e2e.Must(t, err)
		for _, found := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(found[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", path, found[1])
				continue
			}
			if anchor != "" && !anchors(t, target)[anchor] {
				t.Errorf("%s links to %s, which has no such heading", path, found[1])
			}
		}
	}
}

// TestContributingNamesFiles: each path in code marks in CONTRIBUTING.md exists. "<" and "…" stand
// for a choice.
func TestContributingNamesFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../../CONTRIBUTING.md")
	e2e.Must(t, err)
	for _, found := range regexp.MustCompile("`([a-z.][\\w.*/-]*/[\\w.*{},/-]*)`").FindAllStringSubmatch(string(text),
		-1) {
		if strings.HasPrefix(found[1], "./") {
			continue
		}
		if there, err := filepath.Glob(filepath.Join("../../../../..", found[1])); err != nil || len(there) == 0 {
			t.Errorf("CONTRIBUTING.md names %s, which is not there", found[1])
		}
	}
}

// documents are the files that people read, outside of what others wrote.
// TestArchitectureNamesFiles: each file and package that docs/architecture.md names is there.
func TestArchitectureNamesFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../../docs/architecture.md")
	e2e.Must(t, err)
	named := regexp.MustCompile(`\b(?:app|assets|cmd|plugins|store|views)/[\w./-]*\w`).FindAllString(string(text), -1)
	if len(named) < 100 {
		t.Fatalf("only %d names were found", len(named))
	}
	for _, name := range named {
		if _, err := os.Stat(filepath.Join("../../../../..", name)); err != nil {
			t.Errorf("docs/architecture.md names %s, which is not there", name)
		}
	}
}

func documents(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/backends/*.md", "examples/*.md"} {
		found, err := filepath.Glob(filepath.Join("../../../../..", pattern))
		e2e.Must(t, err)
		paths = append(paths, found...)
	}
	return paths
}

func anchors(t *testing.T, path string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(path)
	e2e.Must(t, err)
	found := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
		name := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(h[1]), "")
		found[strings.ReplaceAll(name, " ", "-")] = true
	}
	return found
}
