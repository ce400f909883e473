package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/backends"
)

func backendVariables() (list []Variable) {
	for _, b := range backends.All() {
		for _, s := range b.Settings {
			show := func(c *Config) string { return c.PluginSettings[b.Name][s.Name] }
			if s.Secret {
				show = func(c *Config) string {
					if c.PluginSettings[b.Name][s.Name] == "" {
						return ""
					}
					return "(set)"
				}
			}
			list = append(list, Variable{Name: s.Variable, about: s.About, secret: s.Secret,
				set: func(c *Config, v string) error { return c.setPlugin(b.Name, s.Name, v) }, show: show})
		}
	}
	return list
}

type ownPlugin struct {
	Name   string
	Path   string
	Sha256 []byte
}

var ownPluginName = regexp.MustCompile(`^[a-z0-9]{1,32}$`) // as it can stand in AIRLOCK_PLUGIN_<NAME>_<SETTING>

// setPlugins reads name=/path@sha256:hex, with commas.
func setPlugins(c *Config, v string) error {
	c.Plugins = nil
	for item := range strings.SplitSeq(v, ",") {
		p, err := parseOwnPlugin(strings.TrimSpace(item))
		if err != nil {
			return err
		}
		if slices.Contains(backends.Names(), p.Name) ||
			slices.ContainsFunc(c.Plugins, func(o ownPlugin) bool { return o.Name == p.Name }) {
			return fmt.Errorf("there is a backend %s already; give yours another name", p.Name)
		}
		c.Plugins = append(c.Plugins, p)
	}
	return nil
}

func parseOwnPlugin(text string) (ownPlugin, error) {
	name, rest, named := strings.Cut(text, "=")
	at := strings.LastIndex(rest, "@sha256:")
	if !named || at < 0 {
		return ownPlugin{}, fmt.Errorf("%q is not of the form name=/path@sha256:…", app.Clip(text, 80))
	}
	if !ownPluginName.MatchString(name) || name == "auto" {
		return ownPlugin{}, fmt.Errorf("%q is not a name: small letters and digits, at most 32", app.Clip(name, 40))
	}
	path := rest[:at]
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return ownPlugin{}, fmt.Errorf("%s: %q is not a clean absolute path", name, app.Clip(path, 80))
	}
	sum, err := hex.DecodeString(rest[at+len("@sha256:"):])
	if err != nil || len(sum) != sha256.Size {
		return ownPlugin{}, fmt.Errorf("%s: the checksum is not the 64 hexadecimal digits that sha256sum prints", name)
	}
	return ownPlugin{name, path, sum}, nil
}

func showPlugins(c *Config) string {
	list := make([]string, len(c.Plugins))
	for i, p := range c.Plugins {
		list[i] = p.Name + "=" + p.Path + "@sha256:" + hex.EncodeToString(p.Sha256)
	}
	return strings.Join(list, ",")
}

// KnownBackends are the names of all backends: the built-in ones and the operator's.
func (c *Config) KnownBackends() []string {
	list := backends.Names()
	for _, p := range c.Plugins {
		list = append(list, p.Name)
	}
	return list
}

// Auto reports whether to find the strongest backend.
func (c *Config) Auto() bool { return slices.Equal(c.Sandbox, []string{"auto"}) }

// UsedBackends returns the backends to try, in order. auto leaves out the operator's own.
func (c *Config) UsedBackends() []string {
	if !c.Auto() {
		return c.Sandbox
	}
	return backends.Automatic()
}

// checkSandboxes refuses unknown names: a misspelt backend would silently be missing.
func (c *Config) checkSandboxes() (problems []error) {
	for _, name := range c.Sandbox {
		if name != "auto" && !slices.Contains(c.KnownBackends(), name) {
			problems = append(problems,
				fmt.Errorf("AIRLOCK_SANDBOX: there is no backend %q; use auto or some of %s", app.Clip(name, 40),
					strings.Join(c.KnownBackends(), ", ")))
		}
	}
	for name := range c.PluginSettings {
		if !slices.Contains(c.KnownBackends(), name) {
			problems = append(problems,
				fmt.Errorf("AIRLOCK_PLUGIN_%s_…: there is no backend %q; there are %s", strings.ToUpper(name), name,
					strings.Join(c.KnownBackends(), ", ")))
		}
	}
	return problems
}
