package bubblewrap

import "github.com/computclaw/airlock/plugins"

type settings struct {
	bwrap    string // empty: search
	root     string
	usrLocal bool
	limits   string
	cgroup   string // empty: find
	box      string
}

// How boxes are made.
const (
	boxFresh    = "fresh"
	boxTemplate = "template"
)

const (
	limitsAuto   = "auto"
	limitsCgroup = "cgroup"
	limitsPolled = "polled"
)

func parseSettings(in map[string]string) (settings, error) {
	s := settings{root: "/", limits: limitsAuto, box: boxTemplate}
	err := plugins.ReadSettings(Name, in, map[string]func(string) error{
		"bwrap": plugins.Path(&s.bwrap), "root": plugins.Path(&s.root), "cgroup": plugins.Path(&s.cgroup),
		"usr_local": plugins.Bool(&s.usrLocal),
		"limits":    plugins.OneOf(&s.limits, limitsAuto, limitsCgroup, limitsPolled),
		"box":       plugins.OneOf(&s.box, boxFresh, boxTemplate),
	})
	return s, err
}
