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
	key := setting("AIRLOCK_SSH_KEY", "key", "private key without passphrase")
	key.secret = true
	key.show = func(c *Config) string {
		if c.PluginSettings[ssh.Name]["key"] == "" {
			return ""
		}
		return "(set)"
	}
	return []Variable{
		setting("AIRLOCK_SSH_HOST", "host", "`ssh` [backend](backends/ssh.md): `host` or `host:port`"),
		setting("AIRLOCK_SSH_USER", "user", "account there"),
		key,
		setting("AIRLOCK_SSH_HOST_KEY", "host_key",
			"its host key; `airlock doctor` shows it"),
	}
}
