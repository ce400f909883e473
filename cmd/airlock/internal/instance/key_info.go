package instance

import (
	"os"
	"syscall"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

// keyInfo says where the instance key is, and whether that is too near the data.
func keyInfo(cfg config.Config, ring *secrets.Keyring, from string) instance.KeyInfo {
	info := instance.KeyInfo{From: from, ID: ring.KeyID()}
	path := from
	if cfg.SecretKeyFile != "" {
		path = cfg.SecretKeyFile
	}
	if cfg.SecretKey.Empty() && sameDisk(path, cfg.DataDir) {
		info.Risk = "The key is on the same disk as the data: whoever gets a copy of the disk can read everything. Set " +
			"AIRLOCK_SECRET_KEY, or keep the key on another disk and name it with AIRLOCK_SECRET_KEY_FILE."
	}
	return info
}

// lostKey tells an operator that the database has lost its instance key.
func lostKey(path string, cause error) error {
	e := app.E(app.CodeConflict, "the instance key of the database here is missing: there is no "+path,
		"Put the file back, or set AIRLOCK_SECRET_KEY to the key. If the key is lost, restore the last backup into an "+
			"empty data directory: "+
			"airlock admin restore FILE (docs/backups.md).")
	e.Cause = cause
	return e
}

func sameDisk(a, b string) bool {
	device := func(path string) (uint64, bool) {
		info, err := os.Stat(path)
		if err != nil {
			return 0, false
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		return stat.Dev, ok
	}
	x, okA := device(a)
	y, okB := device(b)
	return okA && okB && x == y
}
