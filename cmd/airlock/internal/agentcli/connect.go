package agentcli

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

// Connect returns the instance and profile of the flags or environment. Errors: cli.UsageError.
func Connect(c cli.Console, url, profile string) (api client.Client, id app.Secret, err error) {
	cfg, err := config.Load(c.Env)
	if err != nil {
		return api, id, err
	}
	if url != "" {
		if cfg.URL, err = config.ParseURL(url); err != nil {
			return api, id, cli.UsageError{Message: "--url: " + err.Error()}
		}
	}
	if profile != "" {
		if config.SetProfile(&cfg, profile) != nil {
			return api, id, cli.UsageError{Message: "--profile: that is not a profile id (ark_…)"}
		}
	}
	if cfg.Profile.Empty() {
		return api, id, cli.UsageError{Message: "which profile? Set AIRLOCK_PROFILE to its id (ark_…)"}
	}
	return client.New(cfg.URL), cfg.Profile, nil
}
