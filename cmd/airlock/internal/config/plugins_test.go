package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

func TestOwnPlugins(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	c, err := Load([]string{"AIRLOCK_PLUGINS=mybox=/opt/mybox@sha256:" + sum + ", other=/opt/o@x@sha256:" + sum,
		"AIRLOCK_SANDBOX=mybox,bubblewrap", "AIRLOCK_PLUGIN_MYBOX_COLOUR=blue"})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Plugins) != 2 || c.Plugins[1].Path != "/opt/o@x" ||
		showPlugins(&c) != "mybox=/opt/mybox@sha256:"+sum+",other=/opt/o@x@sha256:"+sum || c.Auto() {
		t.Errorf("%+v", c.Plugins)
	}
	for _, tt := range []struct{ env, want string }{
		{"AIRLOCK_PLUGINS=mybox=/opt/mybox", "not of the form"},
		{"AIRLOCK_PLUGINS=My-Box=/opt/mybox@sha256:" + sum, "is not a name"},
		{"AIRLOCK_PLUGINS=auto=/opt/mybox@sha256:" + sum, "is not a name"},
		{"AIRLOCK_PLUGINS=mybox=opt/mybox@sha256:" + sum, "not a clean absolute path"},
		{"AIRLOCK_PLUGINS=mybox=/opt/../mybox@sha256:" + sum, "not a clean absolute path"},
		{"AIRLOCK_PLUGINS=mybox=/opt/mybox@sha256:abcd", "the checksum is not"},
		{"AIRLOCK_PLUGINS=bubblewrap=/opt/mybox@sha256:" + sum, "there is a backend bubblewrap already"},
		{"AIRLOCK_SANDBOX=mybox", `there is no backend "mybox"`},
		{"AIRLOCK_SANDBOX=auto,bubblewrap", "auto stands alone"},
		{"AIRLOCK_SANDBOX=bubblewrap,bubblewrap", "named twice"},
		{"AIRLOCK_PLUGIN_BUBLEWRAP_ROOT=/x", `there is no backend "bublewrap"`},
	} {
		if _, err := Load([]string{tt.env}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.env, err, tt.want)
		}
	}
}

func TestSSHSettings(t *testing.T) {
	const secret = "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----"
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"AIRLOCK_SSH_HOST=box:2222", "AIRLOCK_SSH_USER=runner", "AIRLOCK_SSH_KEY_FILE=" + file,
		"AIRLOCK_SSH_HOST_KEY=ssh-ed25519 AAAA", "AIRLOCK_PLUGIN_SSH_DIR=/srv/airlock",
	}
	c, err := Load(env)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"host": "box:2222", "user": "runner", "key": secret, "host_key": "ssh-ed25519 AAAA",
		"dir": "/srv/airlock"}
	if diff := cmp.Diff(want, c.PluginSettings["ssh"]); diff != "" {
		t.Error(diff)
	}
	for _, key := range []string{"AIRLOCK_SSH_KEY=" + secret, "AIRLOCK_SSH_KEY_FILE=" + file,
		"AIRLOCK_PLUGIN_SSH_KEY=" + secret, "AIRLOCK_PLUGIN_SSH_KEY_FILE=" + file} {
		var out bytes.Buffer
		if err := Show(cli.Console{Out: &out, Env: []string{key}}, nil); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); strings.Contains(text, "canary") || !strings.Contains(text, "(set)") {
			t.Errorf("airlock config with %.20s… shows the key, or not that it is set:\n%s", key, text)
		}
	}
	_, err = Load([]string{"AIRLOCK_SSH_KEY=" + secret, "AIRLOCK_PLUGIN_SSH_KEY=" + secret})
	if err == nil || !strings.Contains(err.Error(), "set by another variable") || strings.Contains(err.Error(), "canary") {
		t.Errorf("the same setting twice: %v", err)
	}
}

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
