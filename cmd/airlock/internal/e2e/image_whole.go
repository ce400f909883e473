package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildWhole builds the Dockerfile from this work tree. A Debian root replaces the registries'
// images.
func (i *Image) buildWhole(root string) {
	i.T.Helper()
	i.ImportDirectory("airlock-root:test", root, "")
	i.goImage("airlock-go:test", "airlock-root:test")
	i.BuildIn("../../../../..", i.Name, "--build-arg", "GO_IMAGE=airlock-go:test", "--build-arg",
		"BASE_IMAGE=airlock-root:test", "--build-arg", "COMMIT="+ImageCommit)
}

// goImage stands for golang:…-trixie in the first stage: Debian with make, this host's Go and its
// module cache. go.sum applies.
func (i *Image) goImage(name, root string) {
	i.T.Helper()
	download := exec.CommandContext(i.T.Context(), "go", "mod", "download")
	download.Dir = "../../../../.."
	if out, err := download.CombinedOutput(); err != nil {
		i.T.Fatalf("%v\n%s", err, out)
	}
	modules := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(i.goEnv("GOMODCACHE"), "cache", "download"))))
	i.T.Cleanup(modules.Close)
	i.ImportDirectory("airlock-goroot:test", i.goEnv("GOROOT"), "go/")
	i.Build(name, fmt.Sprintf(`FROM %s
RUN apt-get update && apt-get install -y --no-install-recommends make
COPY --from=airlock-goroot:test /go /usr/local/go
ENV PATH=/usr/local/go/bin:/usr/bin:/bin GOTOOLCHAIN=local GONOSUMDB=* GOPROXY=%s
`, root, modules.URL))
}

func (i *Image) goEnv(name string) string {
	i.T.Helper()
	out, err := exec.CommandContext(i.T.Context(), "go", "env", name).Output()
	Must(i.T, err)
	return strings.TrimSpace(string(out))
}

// ImportDirectory makes an image of a directory, with prefix before its names.
func (i *Image) ImportDirectory(name, dir, prefix string) {
	i.T.Helper()
	content, err := exec.CommandContext(i.T.Context(), "tar", "-C", dir, "--one-file-system", "--transform",
		"flags=rhS;s,^\\./,"+prefix+",", "-c", ".").Output()
	Must(i.T, err)
	Must(i.T, i.Import(name, content))
}
