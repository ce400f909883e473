package landlock

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/computclaw/airlock/plugins"
)

// settings are the parsed form of plugins.Config.Settings.
type settings struct {
	tmp      string // empty: find
	usrLocal bool
}

// parseSettings refuses what it doesn't know, so that nothing misspelt is silently ignored.
func parseSettings(in map[string]string) (settings, error) {
	var s settings
	for name, value := range in {
		var err error
		switch name {
		case "tmp":
			if s.tmp = value; !filepath.IsAbs(value) || filepath.Clean(value) != value {
				err = fmt.Errorf("%q is not a clean absolute path", value)
			}
		case "usr_local":
			s.usrLocal, err = strconv.ParseBool(value)
		default:
			err = plugins.UnknownSetting(Name, "tmp", "usr_local")
		}
		if err != nil {
			return settings{}, fmt.Errorf("setting %q: %w", name, err)
		}
	}
	return s, nil
}
