package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/build"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// The linker sets the commit by a variable's name, and silently ignores a missing variable.
func TestBuildsSetTheCommit(t *testing.T) {
	t.Parallel()
	variable := ""
	for _, file := range []string{"Makefile", ".goreleaser.yaml"} {
		text, err := os.ReadFile("../../../../../" + file)
		e2e.Must(t, err)
		flag := regexp.MustCompile(`-X (\S+)=(?:\$\(COMMIT\)|{{ slice \.FullCommit 0 12 }})`).FindStringSubmatch(string(text))
		if flag == nil || variable != "" && flag[1] != variable {
			t.Fatalf("%s sets %v, others %s", file, flag, variable)
		}
		variable = flag[1]
	}
	binary := filepath.Join(t.TempDir(), "airlock")
	link := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-X "+variable+"=0a1b2c3d4e5f", "-o",
		binary, "github.com/computclaw/airlock/cmd/airlock")
	link.Env = append(os.Environ(), "CGO_ENABLED=0") // as TestMain's, so that everything but the linking was done there
	if out, err := link.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), binary, "version").Output()
	if want := "airlock " + build.Version + " (commit 0a1b2c3d4e5f, go"; err != nil ||
		!strings.HasPrefix(string(out), want) {
		t.Errorf("%q %v, want %q", out, err, want)
	}
}

// The changelog begins with this source's version: a dated heading, or "Unreleased".
func TestChangelogBeginsWithTheVersion(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../../CHANGELOG.md")
	e2e.Must(t, err)
	heading := regexp.MustCompile(`(?m)^## (.+)$`).FindStringSubmatch(string(text))
	want := "^" + regexp.QuoteMeta(build.Version) + ` - \d{4}-\d{2}-\d{2}$`
	if strings.HasSuffix(build.Version, "-dev") {
		want = "^Unreleased$"
	}
	if heading == nil || !regexp.MustCompile(want).MatchString(heading[1]) {
		t.Errorf("the first heading of CHANGELOG.md is %q, want %s", heading, want)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-(dev|rc\.\d+))?$`).MatchString(build.Version) {
		t.Errorf("%q is no version: releases are X.Y.Z, candidates X.Y.Z-rc.N, and between them it is X.Y.Z-dev",
			build.Version)
	}
}
