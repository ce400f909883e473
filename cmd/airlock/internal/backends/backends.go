// Package backends is the table of built-in sandbox backends. All that differs outside of a
// backend's package is a field of its row.
package backends

import (
	"slices"

	"github.com/computclaw/airlock/cmd/airlock/internal/harden"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/bubblewrap"
	"github.com/computclaw/airlock/plugins/docker"
	"github.com/computclaw/airlock/plugins/landlock"
	"github.com/computclaw/airlock/plugins/ssh"
)

// Backend is one way to run boxes.
type Backend struct {
	Name string
	New  func() plugins.Sandbox // its plugin

	// Auto has AIRLOCK_SANDBOX=auto try it, in table order. Docker's socket makes its user root,
	// and SSH leaves this machine: both need their name.
	Auto bool

	// Settings have a variable of their own. The others are AIRLOCK_PLUGIN_<NAME>_<SETTING>.
	Settings []Setting
	// Adopted are settings by the variables of the backend's own programs. They count if it is used
	// by name and has no setting "host": plugins get no environment.
	Adopted map[string]string

	// Capabilities returns the plugin's capabilities at start; nil: none.
	Capabilities func() ([]uintptr, error)
}

// Setting is one setting of a backend.
type Setting struct {
	Name     string
	Variable string
	About    string
	Secret   bool // also as Variable_FILE, and never shown
}

// All returns the backends, the default first.
func All() []Backend {
	return []Backend{
		{Name: bubblewrap.Name, New: func() plugins.Sandbox { return bubblewrap.New() }, Auto: true,
			Settings: []Setting{{Name: "box", Variable: "AIRLOCK_BOX",
				About: "`bubblewrap` backend: boxes forked from a `template`, the default, or `fresh` " +
					"([docs](backends/README.md#boxes-from-a-template))"}}},
		{Name: landlock.Name, New: func() plugins.Sandbox { return landlock.New() }, Auto: true,
			Capabilities: harden.PassableCapabilities},
		{Name: docker.Name, New: func() plugins.Sandbox { return docker.New() },
			Settings: []Setting{{Name: "image", Variable: "AIRLOCK_DOCKER_IMAGE",
				About: "`docker` backend: images that boxes may run, the first by default; else `" + docker.DefaultImage + "`"}},
			Adopted: map[string]string{"DOCKER_HOST": "host", "DOCKER_CERT_PATH": "cert_path"}},
		{Name: ssh.Name, New: func() plugins.Sandbox { return ssh.New() },
			Settings: []Setting{
				{Name: "host", Variable: "AIRLOCK_SSH_HOST", About: "`ssh` [backend](backends/ssh.md): `host` or `host:port`"},
				{Name: "user", Variable: "AIRLOCK_SSH_USER", About: "account there"},
				{Name: "key", Variable: "AIRLOCK_SSH_KEY", About: "private key without passphrase", Secret: true},
				{Name: "host_key", Variable: "AIRLOCK_SSH_HOST_KEY", About: "its host key; `airlock doctor` shows it"},
			}},
	}
}

// Find returns the backend with a name.
func Find(name string) (b Backend, ok bool) {
	all := All()
	i := slices.IndexFunc(all, func(b Backend) bool { return b.Name == name })
	if i < 0 {
		return b, false
	}
	return all[i], true
}

// Names returns the names of all backends.
func Names() []string { return names(All()) }

// Automatic returns the names of those that auto tries, in order.
func Automatic() []string {
	return names(slices.DeleteFunc(All(), func(b Backend) bool { return !b.Auto }))
}

func names(list []Backend) []string {
	all := make([]string, len(list))
	for i, b := range list {
		all[i] = b.Name
	}
	return all
}
