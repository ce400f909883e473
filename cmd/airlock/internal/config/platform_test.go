package config

import (
	"strings"
	"testing"
)

// The first visitor of a new instance in a container is told where the admin token is.
func TestWhereTheAdminTokenIs(t *testing.T) {
	for env, want := range map[string]string{"": "first start", "AIRLOCK_ADMIN_TOKEN=sixteen-characters": "AIRLOCK_ADMIN_TOKEN"} {
		cfg, err := Load([]string{"container=oci", "AIRLOCK_DATA_DIR=/dev/shm", env})
		if err != nil {
			t.Fatal(err)
		}
		at, err := Where(cfg)
		if err != nil || !strings.Contains(at.Token, want) || !strings.Contains(at.Losing, "/dev/shm isn't on a persistent") {
			t.Errorf("%q: %+v, %v", env, at, err)
		}
	}
}

func TestPersistent(t *testing.T) {
	for dir, want := range map[string]bool{"/": false, "/dev/shm": false, "/proc": true} {
		if got, err := persistent(dir); err != nil || got != want {
			t.Errorf("%s: %v, %v", dir, got, err)
		}
	}
}
