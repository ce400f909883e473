package agentcli

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

// LoadURL reads the configuration, with the instance of --url.
func LoadURL(c cli.Console, a cli.Args) (config.Config, error) {
	cfg, err := config.Load(c.Env)
	if err == nil && a.IsGiven("url") {
		if cfg.URL, err = config.ParseURL(a.Text("url")); err != nil {
			err = cli.UsageError{Message: "--url: " + err.Error()}
		}
	}
	return cfg, err
}

// Connect returns the instance and profile of --url and --profile, or of the environment. Errors:
// cli.UsageError.
func Connect(c cli.Console, a cli.Args) (api client.Client, id app.Secret, err error) {
	cfg, err := LoadURL(c, a)
	if err != nil {
		return api, id, err
	}
	if a.IsGiven("profile") {
		if config.SetProfile(&cfg, a.Text("profile")) != nil {
			return api, id, cli.UsageError{Message: "--profile: that is not a profile id (ark_…)"}
		}
	}
	if cfg.Profile.Empty() {
		return api, id, cli.UsageError{Message: "which profile? Set AIRLOCK_PROFILE to its id (ark_…)"}
	}
	return client.New(cfg.URL), cfg.Profile, nil
}
