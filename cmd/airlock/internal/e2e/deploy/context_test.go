package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// ignored reads .dockerignore with docker build's code.
func ignored(t *testing.T) *patternmatcher.PatternMatcher {
	t.Helper()
	file, err := os.Open("../../../../../.dockerignore")
	e2e.Must(t, err)
	defer file.Close()
	patterns, err := ignorefile.ReadAll(file)
	e2e.Must(t, err)
	matcher, err := patternmatcher.New(patterns)
	e2e.Must(t, err)
	return matcher
}

// Layers of the image's first stage stay in caches and registries. So secrets must not be sent to
// the builder, wherever they are.
func TestNoSecretIsInTheBuildContext(t *testing.T) {
	matcher := ignored(t)
	for _, path := range []string{
		".git/config", ".git/objects/pack/pack-1.pack", ".github/workflows/release.yml", ".env", ".env.production",
		"app/.env", "cmd/airlock/.env.local", "app/.ssh/id_ed25519", ".netrc", ".npmrc",
		"data/airlock.db", "data/airlock.db-wal", "data/instance.key", "cmd/airlock/data/instance.key", "instance.key",
		"airlock-2026-01-31.airlock", "backups/airlock.airlock", "passphrase.txt",
		"airlock", "airlock.db", ".cache/image/trixie/etc/shadow", ".bin/govulncheck", ".screenshots/login.png",
		"dist/airlock.tar.gz", "node_modules/x/index.js", "docker-compose.override.yml",
		"deploy/.env", "cmd/airlock/internal/e2e/cli/testdata/api-client/package.json",
		"plugins/initbin/airlock-init-linux-amd64",
		"plugins/ssh/remotebin/airlock-remote-linux-arm64.gz",
	} {
		if out, err := matcher.MatchesOrParentMatches(path); err != nil || !out {
			t.Errorf("%s would be sent to the builder (%v)", path, err)
		}
	}
}

// Everything that compiles into the programs is in the context.
func TestTheBuildContextIsComplete(t *testing.T) {
	matcher := ignored(t)
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f",
		`{{if and .Module .Module.Main}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}
{{end}}{{end}}`, "./cmd/...")
	list.Dir = "../../../../.."
	out, err := list.Output()
	e2e.Must(t, err)
	root, err := filepath.Abs("../../../../..")
	e2e.Must(t, err)
	files := []string{"Makefile", "go.mod", "go.sum"}
	for path := range strings.FieldsSeq(string(out)) {
		path = strings.TrimPrefix(path, root+"/")
		// the build makes these
		if !strings.Contains(path, "/airlock-init-linux-") && !strings.Contains(path, "/airlock-remote-linux-") {
			files = append(files, path)
		}
	}
	if len(files) < 300 {
		t.Fatalf("the programs consist of %d files", len(files))
	}
	for _, path := range files {
		if out, err := matcher.MatchesOrParentMatches(path); err != nil || out {
			t.Errorf("%s is compiled and would not be sent to the builder (%v)", path, err)
		}
	}
}
