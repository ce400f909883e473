package main

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// publicDir makes a directory like /tmp.
func publicDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/tmp", "crash-") // t.TempDir's parent is closed to the uids of boxes
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o777|os.ModeSticky))
	return dir
}

func lines(t *testing.T, path string) int {
	text, err := os.ReadFile(path)
	must(t, err)
	return strings.Count(string(text), "\n")
}

func shell(t *testing.T, command ...string) {
	t.Helper()
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits for a state that another process brings about.
func eventually(t *testing.T, within time.Duration, what string, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); {
		if reached() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("not within %s: %s", within, what)
}

// freeAddress returns an address of loopback on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}
