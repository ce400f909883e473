package e2e

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/backends"
	"github.com/computclaw/airlock/plugins/docker"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/ssh"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

// boxImage is what the docker backend runs in these tests: this host's Python.
const boxImage = "airlock-test:1"

// DockerSettings starts an engine with an image for the test. It returns the settings for a server.
func DockerSettings(tb testing.TB) (*dockertest.Engine, []string) {
	tb.Helper()
	root, err := dockertest.Root()
	if err != nil {
		tb.Fatal(err)
	}
	e := dockertest.New(tb)
	if err := e.Import(boxImage, root); err != nil {
		tb.Fatal(err)
	}
	return e, []string{"AIRLOCK_PLUGIN_DOCKER_HOST=" + e.Host(), "AIRLOCK_DOCKER_IMAGE=" + boxImage}
}

// SSHSettings returns what a server needs to use a machine.
func SSHSettings(m *sshtest.Machine) []string {
	var env []string
	for name, value := range m.Settings() {
		env = append(env, "AIRLOCK_PLUGIN_SSH_"+strings.ToUpper(name)+"="+value)
	}
	return env
}

// Settings starts what backends need for the test, and returns a server's settings.
func Settings(tb testing.TB, names ...string) []string {
	tb.Helper()
	env := []string{"AIRLOCK_SANDBOX=" + strings.Join(names, ",")}
	for _, name := range names {
		switch name {
		case docker.Name:
			_, settings := DockerSettings(tb)
			env = append(env, settings...)
		case ssh.Name:
			env = append(env, SSHSettings(sshtest.New(tb, sshtest.Options{}))...)
		}
	}
	return env
}

// Backends returns all built-in backends, the default first.
func Backends() []string { return backends.Names() }
