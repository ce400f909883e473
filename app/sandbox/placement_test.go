package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/plugins"
)

// A profile's scripts run where it requires, or not at all.
func TestPlacement(t *testing.T) {
	t.Parallel()
	images := enginetest.Passes("b", plugins.TierRestricted)
	images.Images = map[string]string{"data:1": "sha256:data"}
	w, boxes := yard(t, nil, enginetest.Passes("a", plugins.TierFull), images, fails("c"))
	if got := strings.Join(inUse(w.Health()), " "); got != "a b" {
		t.Fatalf("in use %q", got)
	}
	for _, tt := range []struct {
		place                  app.Placement
		backend, runtime, says string
	}{
		{app.Placement{}, "a", "a-root", ""},
		{app.Placement{Backend: "b"}, "b", "b-root", ""},
		{app.Placement{Image: "data:1"}, "b", "sha256:data", ""},
		{app.Placement{MinTier: "restricted", Backend: "b"}, "b", "b-root", ""},
		{app.Placement{MinTier: "full"}, "a", "a-root", ""},
		{app.Placement{MinTier: "full", Backend: "b"}, "", "", "requires the sandbox backend b with isolation full"},
		{app.Placement{Backend: "c"}, "", "", "c, which is not in use"},
		{app.Placement{Backend: "docker"}, "", "", "docker, which is not configured here"},
		{app.Placement{Image: "other"}, "", "", "the image other, which no fitting"},
		{app.Placement{Image: "data:1", MinTier: "full"}, "", "", "no fitting sandbox backend"},
	} {
		w.Require(tt.place)
		status := app.StatusCompleted
		if tt.says != "" {
			status = app.StatusError
		}
		x, _ := w.Finished("result 1", status)
		x, err := w.Reader.ByHandle(t.Context(), x.Handle)
		w.Must(err)
		if x.Backend != tt.backend || x.Manifest.Runtime != tt.runtime || !strings.Contains(x.Error, tt.says) ||
			strings.Contains(x.Error, "broken here") {
			t.Errorf("%+v ran in %q on %q: %s", tt.place, x.Backend, x.Manifest.Runtime, x.Error)
		}
		if tt.says != "" && !x.StartedAt.IsZero() {
			t.Errorf("%+v started", tt.place)
		}
	}
	opened := boxes["b"].Opened()
	if len(opened) != 3 || opened[1].Runtime != "data:1" {
		t.Errorf("boxes of b: %+v", opened)
	}
}

// A manifest names the image as it was proved last.
func TestManifestNamesTheImageAsProvedLast(t *testing.T) {
	t.Parallel()
	report := func(id string) plugins.Report {
		r := enginetest.Passes("a", plugins.TierFull)
		r.Images = map[string]string{"data:1": id}
		return r
	}
	w, boxes := yard(t, func(c *engine.Config) { c.Pool = -1 }, report("sha256:1"))
	w.Require(app.Placement{Image: "data:1"})
	for _, id := range []string{"sha256:1", "sha256:2"} {
		boxes["a"].SetReport(report(id))
		w.Must(w.Sandboxes.Prove(t.Context(), "a"))
		if x, _ := w.Finished("result 1", app.StatusCompleted); x.Manifest.Runtime != id {
			t.Errorf("runtime %q, want %q", x.Manifest.Runtime, id)
		}
	}
}

// A skill gets its image if operator and profile allow it. Without offered images it runs without.
func TestSkillsGetTheImageThatTheyAskFor(t *testing.T) {
	t.Parallel()
	images := enginetest.Passes("b", plugins.TierRestricted)
	images.Images = map[string]string{"data:1": "sha256:data", "plain:1": "sha256:plain"}
	with, _ := yard(t, nil, enginetest.Passes("a", plugins.TierFull), images)
	without, _ := yard(t, nil, enginetest.Passes("a", plugins.TierFull))
	for _, tt := range []struct {
		world                  *world
		image                  string
		place                  app.Placement
		backend, runtime, says string
	}{
		{with, "", app.Placement{}, "a", "a-root", ""},
		{with, "data:1", app.Placement{}, "b", "sha256:data", ""},
		{with, "data:1", app.Placement{Image: "data:1"}, "b", "sha256:data", ""},
		{with, "data:1", app.Placement{Image: "plain:1"}, "", "", "asks for the image data:1; its profile requires plain:1"},
		{with, "evil:1", app.Placement{}, "", "", "asks for the image evil:1; the operator allows data:1, plain:1"},
		{with, "data:1", app.Placement{Backend: "a"}, "a", "a-root", ""},
		{without, "data:1", app.Placement{}, "a", "a-root", ""},
	} {
		w := tt.world
		w.Require(tt.place)
		dir := t.TempDir()
		skill := "---\nname: with-image\ndescription: " + app.NewID() + "\ntimeout: 7\nmetadata:\n  airlock.image: '" +
			tt.image + "'\n---\n"
		w.Must(os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(skill), 0o600))
		w.Must(os.WriteFile(filepath.Join(dir, "main.py"), []byte("pass\n"), 0o600))
		b, err := bundle.ReadFolder(dir)
		w.Must(err)
		v, err := w.Skills.Upload(t.Context(), enginetest.Person, b)
		w.Must(err)
		_, err = w.Skills.Approve(t.Context(), enginetest.Person, v.Name, v.Number, v.Digest)
		w.Must(err)
		w.Must(w.Skills.Allow(t.Context(), enginetest.Person, v.Name, w.Profile.Handle))
		x, _, err := w.Submitter.Submit(t.Context(), executions.Submission{
			ProfileID: w.Profile.ID, Skill: v.Digest, By: enginetest.Agent,
		})
		if tt.says != "" {
			enginetest.WantCode(t, err, app.CodeSandboxUnavailable)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%+v: got %v", tt, err)
			}
			continue
		}
		w.Must(err)
		x, err = w.Reader.Await(t.Context(), x, time.Minute)
		w.Must(err)
		if x.Timeout != 7*time.Second {
			t.Errorf("the timeout is %v, want that of the skill", x.Timeout)
		}
		if x.Backend != tt.backend || x.Manifest.Runtime != tt.runtime {
			t.Errorf("image %q, placement %+v: ran in %q on %q: %s %s", tt.image, tt.place, x.Backend, x.Manifest.Runtime,
				x.Status, x.Error)
		}
	}
}
