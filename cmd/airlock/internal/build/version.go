// Package build tells this program's source.
package build

import (
	"fmt"
	"runtime"
)

// Version is this source's release, without a "v". Between releases it is the next one with "-dev".
const Version = "0.1.0"

// Set by the linker (-X), as the Makefile does.
var commit = "unknown"

// String returns the version with all details of the build.
func String() string {
	return fmt.Sprintf("%s (commit %s, %s %s/%s)", Version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
