package ssh

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// TestMain runs the tests in their own network and mount namespaces, so links, users and file
// systems don't outlive them. It needs root, or a kernel that lets users make namespaces.
func TestMain(m *testing.M) {
	special := len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-")
	if special || os.Getenv("AIRLOCK_TEST_WORLD") == "1" {
		sandboxtest.Main(m, Name, func(guest []byte) plugins.Sandbox { return New(WithGuest(guest)) })
		return
	}
	args := []string{"--net", "--mount"}
	if os.Getuid() != 0 {
		args = append(args, "--user", "--map-current-user", "--keep-caps")
	}
	inner := exec.Command("unshare", append(append(args, "--", os.Args[0]), os.Args[1:]...)...)
	inner.Env = append(os.Environ(), "AIRLOCK_TEST_WORLD=1")
	inner.Stdin, inner.Stdout, inner.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := inner.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		os.Exit(max(exit.ExitCode(), 1))
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
