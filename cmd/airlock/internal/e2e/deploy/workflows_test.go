package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// workflow is what can make one dangerous.
type workflow struct {
	On          map[string]any    `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		Permissions map[string]string `yaml:"permissions"`
		Steps       []struct {
			Uses string         `yaml:"uses"`
			Run  string         `yaml:"run"`
			With map[string]any `yaml:"with"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// pinned is an action by commit: a taken-over repository can move tags, and some of ours may write
// packages and releases.
var pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)

// TestWorkflowsTrustNobodyElse: others' pushes and proposals meet no writing token, and no code can
// change behind a name.
func TestWorkflowsTrustNobodyElse(t *testing.T) {
	files, err := filepath.Glob("../../../../../.github/workflows/*.yml")
	e2e.Must(t, err)
	if len(files) < 2 {
		t.Fatalf("only %v", files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		e2e.Must(t, err)
		var w workflow
		e2e.Must(t, yaml.Unmarshal(text, &w))
		if len(w.On) == 0 || len(w.Jobs) == 0 {
			t.Fatalf("%s was not understood", file)
		}
		strangers := false
		for event := range w.On {
			strangers = strangers || event == "pull_request"
			if !slices.Contains([]string{"push", "pull_request", "workflow_dispatch", "schedule"}, event) {
				t.Errorf("%s starts on %s, which can give code of others our tokens", file, event)
			}
		}
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s may %v by default", file, w.Permissions)
		}
		for name, job := range w.Jobs {
			for scope, right := range job.Permissions {
				if strangers && right == "write" {
					t.Errorf("%s %s may write %s", file, name, scope)
				}
			}
			for _, step := range job.Steps {
				action, _, _ := strings.Cut(step.Uses, "@")
				switch {
				case step.Uses != "" && !pinned.MatchString(step.Uses):
					t.Errorf("%s %s uses %s, not a commit", file, name, step.Uses)
				case action == "actions/checkout" && step.With["persist-credentials"] != false:
					t.Errorf("%s %s leaves its token with the code", file, name)
				case action == "actions/setup-go" && !strangers && step.With["cache"] != false:
					t.Errorf("%s %s builds from what other runs left", file, name)
				case strings.Contains(step.Run, "${{"):
					t.Errorf("%s %s has a shell read what an event says: %s", file, name, step.Run)
				}
			}
		}
	}
}
