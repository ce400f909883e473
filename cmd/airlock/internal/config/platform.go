package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/app/web"
)

// platform is a server's environment, in that platform's words.
type platform struct {
	name     string
	variable string // its presence tells
	settings string // where values of variables are read
	logs     string // where the first start's output is read
	disk     string // what to do for a disk; %s is its path
}

func platforms() []platform {
	return []platform{
		{"Render", "RENDER", "your service's page, Environment", "your service's page, Logs",
			"give the service a disk with the mount path %s (the free plan has none)"},
		{"Railway", "RAILWAY_PROJECT_ID", "your service, Variables",
			"your service, Deployments, View logs of the first one that had the volume",
			"attach a volume to the service with the mount path %s"},
		// Fly shows no secret again.
		{"Fly.io", "FLY_APP_NAME", "what you gave to fly secrets set", "the output of fly logs",
			"run fly volumes create airlock_data, and mount it at %s in fly.toml"},
	}
}

// anyContainer is a container of no known platform.
func anyContainer() platform {
	return platform{name: "Docker", settings: "what you gave to the container",
		logs: "the output of docker logs",
		disk: "start the container with a volume: docker run -v airlock-data:%s …"}
}

// findPlatform returns the platform of an environment; its name is empty outside containers.
func findPlatform(env map[string]string) platform {
	for _, p := range platforms() {
		if env[p.variable] != "" {
			return p
		}
	}
	marks := env["container"] != "" // as systemd, podman and our own image have it
	for _, path := range []string{"/.dockerenv", "/run/.containerenv"} {
		_, err := os.Stat(path)
		marks = marks || err == nil
	}
	if marks {
		return anyContainer()
	}
	return platform{}
}

// Where says what people have to know about this platform.
func Where(cfg Config) (web.Where, error) {
	at := web.Where{Token: cfg.Platform.token(!cfg.AdminToken.Empty())}
	if cfg.Platform.name == "" {
		return at, nil
	}
	dir, err := filepath.Abs(cfg.DataDir)
	if err != nil {
		return at, err
	}
	kept, err := persistent(dir)
	if err != nil {
		return at, fmt.Errorf("see whether the data is on a disk of its own: %w", err)
	}
	if !kept {
		at.Losing = fmt.Sprintf("The data directory %s isn't on a persistent volume. The next deploy or restart deletes "+
			"everything, including credentials. To keep it, "+cfg.Platform.disk+".", dir, dir)
	}
	return at, nil
}

// token says where the admin token is.
func (p platform) token(set bool) string {
	switch {
	case p.name == "":
		return ""
	case set:
		return fmt.Sprintf("On %s the admin token is the value of AIRLOCK_ADMIN_TOKEN: %s.", p.name, p.settings)
	}
	return fmt.Sprintf("On %s the admin token is in the log of Airlock's first start: %s.", p.name, p.logs)
}

// persistent reports whether a container's directory is on a mount other than its root or memory.
// Linux before 5.8 names no mounts; there it is true.
func persistent(dir string) (bool, error) {
	var root, at unix.Statx_t
	var in unix.Statfs_t
	err := errors.Join(unix.Statx(unix.AT_FDCWD, "/", 0, unix.STATX_MNT_ID, &root),
		unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_MNT_ID, &at), unix.Statfs(dir, &in))
	mounted := at.Mask&unix.STATX_MNT_ID == 0 || at.Mnt_id != root.Mnt_id
	return mounted && in.Type != unix.TMPFS_MAGIC && in.Type != unix.RAMFS_MAGIC, err
}
