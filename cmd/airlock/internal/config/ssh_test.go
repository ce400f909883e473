package config

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

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

func TestAutoNeverMeansAnotherMachine(t *testing.T) {
	if slices.Contains(automatic(), "ssh") {
		t.Error("auto would send scripts to another machine without anybody having said so")
	}
}
