package e2e

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// PublicDir makes a directory like /tmp.
func PublicDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/tmp", "crash-") // t.TempDir's parent is closed to the uids of boxes
	Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	Must(t, os.Chmod(dir, 0o777|os.ModeSticky))
	return dir
}

// Lines returns how many lines a file has.
func Lines(t *testing.T, path string) int {
	text, err := os.ReadFile(path)
	Must(t, err)
	return strings.Count(string(text), "\n")
}

// Shell runs a command and fails the test if the command fails.
func Shell(t *testing.T, command ...string) {
	t.Helper()
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
}

// Must fails the test if there is an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Eventually waits for a state that another process brings about.
func Eventually(t *testing.T, within time.Duration, what string, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); {
		if reached() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("not within %s: %s", within, what)
}

// FreeAddress returns an address of loopback on which nothing listens.
func FreeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	defer l.Close()
	return l.Addr().String()
}
