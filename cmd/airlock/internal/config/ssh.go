package config

import "github.com/computclaw/airlock/plugins/ssh"

// sshVariables are short names for settings of the ssh backend.
func sshVariables() []Variable {
	setting := func(name, setting, about string) Variable {
		return Variable{
			Name: name, about: about,
			set:  func(c *Config, v string) error { return c.setPlugin(ssh.Name, setting, v) },
			show: func(c *Config) string { return c.PluginSettings[ssh.Name][setting] },
		}
	}
	key := setting("AIRLOCK_SSH_KEY", "key", "for the `ssh` backend: private key for that account, without passphrase")
	key.secret = true
	key.show = func(c *Config) string {
		if c.PluginSettings[ssh.Name]["key"] == "" {
			return ""
		}
		return "(set)"
	}
	return []Variable{
		setting("AIRLOCK_SSH_HOST", "host", "for the `ssh` backend: machine that boxes run on, `host` or `host:port`"),
		setting("AIRLOCK_SSH_USER", "user", "for the `ssh` backend: account on that machine"),
		key,
		setting("AIRLOCK_SSH_HOST_KEY", "host_key",
			"for the `ssh` backend: the machine's host key, `TYPE BASE64` or lines of known_hosts; without it the first "+
				"contact shows what to set"),
	}
}
