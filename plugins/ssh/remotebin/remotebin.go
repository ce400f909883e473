package remotebin

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
)

// files holds README.md, which keeps the pattern valid, and the compressed binaries that are there.
//
//go:embed [Ra]*
var files embed.FS

// For returns airlock-remote for linux on goarch ("amd64" or "arm64"). It fails if airlock-remote
// wasn't built before this program.
func For(goarch string) ([]byte, error) {
	data, err := files.ReadFile("airlock-remote-linux-" + goarch + ".gz")
	if err != nil {
		return nil, fmt.Errorf("airlock-remote for linux/%s is not in this program: build it with `make build`", goarch)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("airlock-remote for linux/%s: %w", goarch, err)
	}
	return io.ReadAll(z)
}
