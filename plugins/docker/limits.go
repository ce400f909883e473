package docker

import "github.com/computclaw/airlock/plugins"

func least() plugins.Limits {
	return plugins.Limits{Memory: 16 << 20, CPU: 0.01, Pids: 12, Tmp: 4 << 10, Files: 16}
}
