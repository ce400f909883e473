// Package build tells this program's source.
package build

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version is this source's release, without a "v". Between releases it is the next one with "-dev".
const Version = "0.1.0"

// Set by the linker (-X), as the Makefile does.
var commit string

// String returns the version with all details of the build.
func String() string {
	from := revision()
	if from == "" {
		from = "unknown"
	}
	return fmt.Sprintf("%s (commit %s, %s %s/%s)", Version, from, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func revision() string {
	if commit != "" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	found, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			found = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if found == "" {
		return ""
	}
	return found + dirty
}
