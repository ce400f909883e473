package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Set by the linker: -ldflags "-X main.release=v1.2.3 -X main.commit=0a1b2c…".
var release, commit string

// version is the release, or else the commit this was built from.
func version() string {
	if release != "" {
		return release
	}
	if from := revision(); from != "" {
		return "dev-" + from
	}
	return "dev"
}

// revision is the commit this was built from, or "".
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

// build is the version with all that tells one build from another.
func build() string {
	from := revision()
	if from == "" {
		from = "unknown"
	}
	return fmt.Sprintf("%s (commit %s, %s %s/%s)", version(), from, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
