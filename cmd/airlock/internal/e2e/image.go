package e2e

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins/docker/dockertest"
)

// ImageRoot is a directory with a Debian root for the whole image, or "" for a small one.
var ImageRoot = flag.String("image-root", "",
	"directory with a Debian 13 root, on which TestImage builds the whole image; see the Makefile's image-test")

// MaxImage is how large the whole image may be.
const MaxImage = 600_000_000

// Image is Airlock's, in an engine of the test's own.
type Image struct {
	*dockertest.Engine
	T    *testing.T
	Name string
}

// ImageCommit is the commit that the whole image is built with.
const ImageCommit = "0a1b2c3d4e5f"

// NewImage builds the Dockerfile on a local root. A Debian root builds all of it from this work
// tree. Otherwise it uses the tests' program, no packages and this host's Python.
func NewImage(t *testing.T) *Image {
	t.Helper()
	i := &Image{Engine: dockertest.New(t), T: t, Name: "airlock-image:test"}
	if *ImageRoot != "" {
		i.buildWhole(*ImageRoot)
		return i
	}
	program, err := os.ReadFile(filepath.Join(BinDir, "airlock"))
	Must(t, err)
	Must(t, i.Import("airlock-program:test",
		tarball(t, func(w *tar.Writer) { addEntry(t, w, "src/airlock", 0o755, program) })))
	root, err := dockertest.Root("bubblewrap")
	Must(t, err)
	root = append(openTarball(t, func(w *tar.Writer) {
		addDirectory(t, w, "tmp", 0o1777)
		addDirectory(t, w, "etc", 0o755)
	}), root...)
	Must(t, i.Import("airlock-root:test", root))
	source, err := os.ReadFile("../../../../../Dockerfile")
	Must(t, err)
	i.Build(i.Name, dropStages(string(source), "build", "runtime"), "--build-arg", "GO_IMAGE=airlock-program:test",
		"--build-arg", "BASE_IMAGE=airlock-root:test")
	return i
}

func dropStages(source string, stages ...string) string {
	var kept []string
	skipping := false
	for line := range strings.Lines(source) {
		if from := regexp.MustCompile(`^FROM \S+(?: AS (\S+))?`).FindStringSubmatch(line); from != nil {
			skipping = slices.Contains(stages, from[1])
		} else if skipping {
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "")
}

func tarball(t *testing.T, fill func(*tar.Writer)) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	fill(w)
	Must(t, w.Close())
	return buf.Bytes()
}

// openTarball is tarball without the end mark, so that another can follow.
func openTarball(t *testing.T, fill func(*tar.Writer)) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	fill(w)
	Must(t, w.Flush())
	return buf.Bytes()
}

func addEntry(t *testing.T, w *tar.Writer, name string, mode int64, content []byte) {
	t.Helper()
	Must(t, w.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(content))}))
	_, err := w.Write(content)
	Must(t, err)
}

func addDirectory(t *testing.T, w *tar.Writer, name string, mode int64) {
	t.Helper()
	Must(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: mode}))
}

// Docker runs a docker command on the engine and returns what it prints.
func (i *Image) Docker(args ...string) string {
	i.T.Helper()
	cmd := exec.CommandContext(i.T.Context(), "docker", append([]string{"-H", i.Host()}, args...)...)
	cmd.Env = append(os.Environ(), "DOCKER_BUILDKIT=0") // the builder that needs nothing from a registry
	var diagnostic bytes.Buffer
	cmd.Stderr = &diagnostic
	out, err := cmd.Output()
	if err != nil {
		i.T.Fatalf("docker %v: %v\n%s%s", args, err, out, diagnostic.String())
	}
	return strings.TrimSpace(string(out))
}

// Build builds a Dockerfile from its text.
func (i *Image) Build(name, source string, options ...string) {
	i.T.Helper()
	dir := i.T.TempDir()
	Must(i.T, os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(source), 0o600))
	i.BuildIn(dir, name, options...)
}

// BuildIn builds a directory's Dockerfile, with the directory as the context.
func (i *Image) BuildIn(dir, name string, options ...string) {
	i.T.Helper()
	i.Docker(append(append([]string{"build", "--network", "host", "-t", name}, options...), dir)...)
}

// Size returns the bytes that the image takes on a disk.
func (i *Image) Size() int64 {
	i.T.Helper()
	var found []struct{ Size int64 }
	Must(i.T, json.Unmarshal([]byte(i.Docker("image", "inspect", i.Name)), &found))
	return found[0].Size
}
