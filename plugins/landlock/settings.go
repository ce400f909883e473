package landlock

import "github.com/computclaw/airlock/plugins"

type settings struct {
	tmp      string // empty: find
	usrLocal bool
}

func parseSettings(in map[string]string) (settings, error) {
	var s settings
	err := plugins.ReadSettings(Name, in,
		map[string]func(string) error{"tmp": plugins.Path(&s.tmp), "usr_local": plugins.Bool(&s.usrLocal)})
	return s, err
}
