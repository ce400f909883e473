package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNetns runs the real thing: loopback is up, low ports are free, limits hold, the environment
// is empty, descriptors stay.
func TestNetns(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "airlock-init")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	probe := `import os, resource, socket
limit = resource.getrlimit
print(sorted(set(os.environ) - {"LC_CTYPE"}), limit(resource.RLIMIT_NOFILE), limit(resource.RLIMIT_FSIZE))
s = socket.socket(); s.bind(("127.77.0.1", 443)); s.listen(); socket.create_connection(("127.77.0.1", 443))
os.write(5, b"still open")`
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// --map-root-user for the namespace's owner; the probe itself gives the capability to bind low
	// ports up.
	cmd := exec.Command("/usr/bin/unshare", "--user", "--map-root-user", "--net", binary, "netns", "--rlimit",
		"nofile=100", "--rlimit", "fsize=1000",
		"--", "/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all", "/usr/bin/python3", "-c", probe)
	cmd.Env = []string{"PATH=/usr/bin", "SECRET=1"}
	cmd.ExtraFiles = []*os.File{os.Stdin, os.Stdin, write}
	out, err := cmd.CombinedOutput()
	write.Close()
	if want := "[] (100, 100) (1000, 1000)\n"; err != nil || string(out) != want {
		t.Errorf("%v: %s", err, out)
	}
	kept := make([]byte, 100)
	n, _ := read.Read(kept)
	if !strings.HasPrefix(string(kept[:n]), "still open") {
		t.Errorf("%q", kept[:n])
	}
}

func TestRefusesToBeAnythingButPID1(t *testing.T) {
	if err := run(nil); err == nil || !strings.Contains(err.Error(), "PID 1") {
		t.Error(err)
	}
	if err := run([]string{"serve"}); err == nil {
		t.Error("an unknown argument was accepted")
	}
}
