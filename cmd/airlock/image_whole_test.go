package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildWhole builds the Dockerfile as it stands, from this work tree as docker build gets it, on a
// Debian root instead of the two images from registries.
func (i *image) buildWhole(root string) {
	i.t.Helper()
	i.importDirectory("airlock-root:test", root, "")
	i.goImage("airlock-go:test", "airlock-root:test")
	i.buildIn("../..", i.name, "--build-arg", "GO_IMAGE=airlock-go:test", "--build-arg", "BASE_IMAGE=airlock-root:test",
		"--build-arg", "COMMIT="+imageCommit)
}

// goImage is what golang:…-trixie is as far as the Dockerfile's first stage goes: Debian with make
// and this host's Go. Modules come from this host's cache, and are held to go.sum.
func (i *image) goImage(name, root string) {
	i.t.Helper()
	download := exec.CommandContext(i.t.Context(), "go", "mod", "download")
	download.Dir = "../.."
	if out, err := download.CombinedOutput(); err != nil {
		i.t.Fatalf("%v\n%s", err, out)
	}
	modules := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(i.goEnv("GOMODCACHE"), "cache", "download"))))
	i.t.Cleanup(modules.Close)
	i.importDirectory("airlock-goroot:test", i.goEnv("GOROOT"), "go/")
	i.build(name, fmt.Sprintf(`FROM %s
RUN apt-get update && apt-get install -y --no-install-recommends make
COPY --from=airlock-goroot:test /go /usr/local/go
ENV PATH=/usr/local/go/bin:/usr/bin:/bin GOTOOLCHAIN=local GONOSUMDB=* GOPROXY=%s
`, root, modules.URL))
}

func (i *image) goEnv(name string) string {
	i.t.Helper()
	out, err := exec.CommandContext(i.t.Context(), "go", "env", name).Output()
	must(i.t, err)
	return strings.TrimSpace(string(out))
}

// importDirectory makes an image of a directory, with prefix before its names.
func (i *image) importDirectory(name, dir, prefix string) {
	i.t.Helper()
	content, err := exec.CommandContext(i.t.Context(), "tar", "-C", dir, "--one-file-system", "--transform",
		"flags=rhS;s,^\\./,"+prefix+",", "-c", ".").Output()
	must(i.t, err)
	must(i.t, i.Import(name, content))
}
