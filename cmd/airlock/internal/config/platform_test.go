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
	for dir, want := range map[string]bool{"/": false, "/dev/shm": false, "/proc": true} {
		if got, err := persistent(dir); err != nil || got != want {
			t.Errorf("%s: %v, %v", dir, got, err)
		}
	}
}
