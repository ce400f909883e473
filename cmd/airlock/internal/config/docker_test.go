package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDockerSettings(t *testing.T) {
	const own, docker = "AIRLOCK_SANDBOX=bubblewrap,docker", "DOCKER_HOST=tcp://engine:2376"
	tests := []struct {
		name string
		env  []string
		want map[string]string
	}{
		{"image", []string{"AIRLOCK_DOCKER_IMAGE=a:1,b"}, map[string]string{"image": "a:1,b"}},
		{"Docker's variables", []string{own, docker, "DOCKER_CERT_PATH=/certs"},
			map[string]string{"host": "tcp://engine:2376", "cert_path": "/certs"}},
		{"not asked for", []string{docker, "DOCKER_CERT_PATH=/certs"}, nil},
		{"ours come first", []string{own, docker, "DOCKER_CERT_PATH=/certs", "AIRLOCK_PLUGIN_DOCKER_HOST=unix:///s"},
			map[string]string{"host": "unix:///s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Load(tt.env)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, c.PluginSettings["docker"]); diff != "" {
				t.Error(diff)
			}
		})
	}
	_, err := Load([]string{"AIRLOCK_DOCKER_IMAGE=a", "AIRLOCK_PLUGIN_DOCKER_IMAGE=b"})
	if err == nil || !strings.Contains(err.Error(), "set by another variable") {
		t.Errorf("the same setting twice: %v", err)
	}
}

func TestAutoNeverMeansDocker(t *testing.T) {
	for _, name := range automatic() {
		if name == "docker" {
			t.Error("auto would use the engine's socket without anybody having said so")
		}
	}
}
