package bubblewrap

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/computclaw/airlock/plugins"
)

// settings are the parsed form of plugins.Config.Settings.
type settings struct {
	bwrap    string // empty: search
	root     string
	usrLocal bool
	limits   string
	cgroup   string // empty: find
}

const (
	limitsAuto   = "auto"
	limitsCgroup = "cgroup"
	limitsPolled = "polled"
)

// parseSettings refuses what it doesn't know, so that a misspelt limit isn't silently no limit.
func parseSettings(in map[string]string) (settings, error) {
	s := settings{root: "/", limits: limitsAuto}
	for name, value := range in {
		var err error
		switch name {
		case "bwrap":
			s.bwrap, err = absolute(value)
		case "root":
			s.root, err = absolute(value)
		case "cgroup":
			s.cgroup, err = absolute(value)
		case "usr_local":
			s.usrLocal, err = strconv.ParseBool(value)
		case "limits":
			if s.limits = value; !slices.Contains([]string{limitsAuto, limitsCgroup, limitsPolled}, value) {
				err = fmt.Errorf("%q is none of auto, cgroup, polled", value)
			}
		default:
			err = plugins.UnknownSetting(Name, "bwrap", "cgroup", "limits", "root", "usr_local")
		}
		if err != nil {
			return settings{}, fmt.Errorf("setting %q: %w", name, err)
		}
	}
	return s, nil
}

func absolute(path string) (string, error) {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return "", fmt.Errorf("%q is not a clean absolute path", path)
	}
	return path, nil
}
