package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/app/web"
)

// isContainer reports whether the environment or a file says that this is a container.
func isContainer(env map[string]string) bool {
	_, docker := os.Stat("/.dockerenv")
	_, podman := os.Stat("/run/.containerenv")
	return docker == nil || podman == nil || env["container"] != "" // as systemd, podman and our own image have it
}

// Where says what people have to know in a container.
func Where(cfg Config) (at web.Where, err error) {
	if !cfg.Container {
		return at, nil
	}
	at.Token = "The admin token is in the log of Airlock's first start."
	if !cfg.AdminToken.Empty() {
		at.Token = "The admin token is the value of AIRLOCK_ADMIN_TOKEN."
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
			"everything, including credentials. To keep it, give the container a volume or disk with this mount path.", dir)
	}
	return at, nil
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
