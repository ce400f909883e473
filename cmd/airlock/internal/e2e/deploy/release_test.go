package deploy_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

func yamlFile(t *testing.T, path string) (content map[string]any) {
	t.Helper()
	text, err := os.ReadFile("../../../../../" + path)
	e2e.Must(t, err)
	e2e.Must(t, yaml.Unmarshal(text, &content))
	return content
}

// A tag releases both architectures with checksums and contents lists, by the GoReleaser of make
// workflows and make snapshot.
func TestRelease(t *testing.T) {
	workflow, releaser := yamlFile(t, ".github/workflows/release.yml"), yamlFile(t, ".goreleaser.yaml")
	if tags := fmt.Sprint(at(t, workflow, "on", "push", "tags")); tags != "[v*]" {
		t.Errorf("tags %s are released", tags)
	}
	var images []string
	for _, one := range at(t, workflow, "jobs", "image", "strategy", "matrix", "include").([]any) {
		images = append(images, one.(map[string]any)["arch"].(string))
	}
	programs := at(t, releaser, "builds", "goarch").([]any)
	if both := []string{"amd64", "arm64"}; !slices.Equal(images, both) || fmt.Sprint(programs) != fmt.Sprint(both) {
		t.Errorf("images for %v, programs for %v", images, programs)
	}
	steps := func(job string) (text string) {
		for _, step := range at(t, workflow, "jobs", job, "steps").([]any) {
			text += fmt.Sprintln(step)
		}
		return text
	}
	for job, wants := range map[string][]string{
		"image": {"buildx build --push", "--sbom=true", "--provenance=true",
			`-t "ghcr.io/computclaw/airlock:$GITHUB_REF_NAME-$ARCH"`, `--build-arg COMMIT="${GITHUB_SHA::12}"`, "grep -qxF",
			"internal/build/version.go", " doctor", " version | grep"},
		"manifest": {`imagetools create -t "ghcr.io/computclaw/airlock:$GITHUB_REF_NAME"`, "airlock:$GITHUB_REF_NAME-amd64",
			"airlock:$GITHUB_REF_NAME-arm64"},
		"binaries": {"release --clean", "download-syft"},
	} {
		for _, want := range wants {
			if !strings.Contains(steps(job), want) {
				t.Errorf("the job %s has no %q", job, want)
			}
		}
	}
	if at(t, releaser, "checksum", "algorithm") != "sha256" || at(t, releaser, "sboms", "artifacts") != "archive" {
		t.Error("archives are released without checksums or SBOMs")
	}
	makefile, err := os.ReadFile("../../../../../Makefile")
	e2e.Must(t, err)
	version := regexp.MustCompile(`(?m)^GORELEASER_VERSION := (v\S+)$`).FindSubmatch(makefile)
	if version == nil || !strings.Contains(steps("binaries"), "version:"+string(version[1])) {
		t.Errorf("a release is made by another GoReleaser than %s", version)
	}
	// Each archive has the changelog and how to run the program.
	for _, one := range at(t, releaser, "archives", "files").([]any) {
		if _, err := os.Stat("../../../../../" + one.(map[string]any)["src"].(string)); err != nil {
			t.Error(err)
		}
	}
}
