package config

import (
	"strings"
	"testing"
)

// The first visitor of a new instance is told where the platform keeps the admin token.
func TestWhereTheAdminTokenIs(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  []string
		want []string
	}{
		{"Render, generated", []string{"RENDER=true", "AIRLOCK_ADMIN_TOKEN=sixteen-characters"},
			[]string{"On Render", "AIRLOCK_ADMIN_TOKEN", "Environment"}},
		{"Render, printed", []string{"RENDER=true"}, []string{"On Render", "first start", "Logs"}},
		{"Railway", []string{"RAILWAY_PROJECT_ID=x", "AIRLOCK_ADMIN_TOKEN=sixteen-characters"},
			[]string{"On Railway", "Variables"}},
		{"Fly", []string{"FLY_APP_NAME=x"}, []string{"On Fly.io", "fly logs"}},
		{"a container", []string{"container=oci"}, []string{"docker logs"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg, err := Load(tt.env)
			if err != nil {
				t.Fatal(err)
			}
			got := cfg.Platform.token(!cfg.AdminToken.Empty())
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q doesn't say %q", got, want)
				}
			}
		})
	}
}

func TestPersistent(t *testing.T) {
	const (
		overlay = "1 0 0:30 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/a\n"
		proc    = "2 1 0:31 / /proc rw - proc proc rw\n"
		volume  = "3 1 8:1 /var/lib/docker/volumes/airlock-data/_data /data rw - ext4 /dev/sda1 rw\n"
		memory  = "4 1 0:40 / /data rw - tmpfs tmpfs rw\n"
		spaced  = `5 1 8:1 /x /my\040data rw - ext4 /dev/sda1 rw` + "\n"
	)
	for _, tt := range []struct {
		name, dir, mounts string
		want              bool
	}{
		{"the container's own root", "/data", overlay + proc, false},
		{"a volume", "/data", overlay + proc + volume, true},
		{"below a volume", "/data/airlock", overlay + volume, true},
		{"beside a volume", "/database", overlay + volume, false},
		{"memory", "/data", overlay + memory, false},
		{"memory over a volume", "/data", overlay + volume + memory, false},
		{"a name with a space", "/my data", overlay + spaced, true},
		{"nothing known", "/data", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := persistent(tt.dir, tt.mounts); got != tt.want {
				t.Errorf("%v", got)
			}
		})
	}
}
