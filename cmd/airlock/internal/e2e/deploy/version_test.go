package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// The linker is given release and commit by the names of variables, and says nothing if there is no
// such variable.
func TestBuildsSetTheVersion(t *testing.T) {
	t.Parallel()
	release, commit := "", ""
	for _, file := range []string{"Makefile", ".goreleaser.yaml"} {
		text, err := os.ReadFile("../../../../../" + file)
		e2e.Must(t, err)
		flags := regexp.MustCompile(`-X (\S+)=(?:\$\(VERSION\)|{{ \.Tag }}) ` +
			`-X (\S+)=(?:\$\(COMMIT\)|{{ slice \.FullCommit 0 12 }})`).FindStringSubmatch(string(text))
		if flags == nil || release != "" && (flags[1] != release || flags[2] != commit) {
			t.Fatalf("%s sets %v, others %s and %s", file, flags, release, commit)
		}
		release, commit = flags[1], flags[2]
	}
	binary := filepath.Join(t.TempDir(), "airlock")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags",
		"-X "+release+"=v1.2.3-test -X "+commit+"=0a1b2c3d4e5f", "-o", binary,
		"github.com/computclaw/airlock/cmd/airlock")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as TestMain's, so that everything but the linking was done there
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), binary, "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "airlock v1.2.3-test (commit 0a1b2c3d4e5f, go") {
		t.Errorf("%q %v", out, err)
	}
}
