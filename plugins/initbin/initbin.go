package initbin

import (
	"embed"
	"fmt"
)

// files holds README.md, which keeps the pattern valid, and the binaries that are there.
//
//go:embed [Ra]*
var files embed.FS

// For returns airlock-init for linux on goarch ("amd64" or "arm64"). It fails if airlock-init
// wasn't built before this program.
func For(goarch string) ([]byte, error) {
	data, err := files.ReadFile("airlock-init-linux-" + goarch)
	if err != nil {
		return nil, fmt.Errorf("airlock-init for linux/%s is not in this program: build it with `make build`", goarch)
	}
	return data, nil
}
