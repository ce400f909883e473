package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The steps of docs/plugins.md: build it, configure it by checksum, let the doctor prove it, run
// scripts in it.
func TestInTheProgram(t *testing.T) {
	dir := t.TempDir()
	build := func(name, pkg string) (path string, sum string) {
		t.Helper()
		path = filepath.Join(dir, name)
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", pkg, err, out)
		}
		binary, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		digest := sha256.Sum256(binary)
		return path, hex.EncodeToString(digest[:])
	}
	plugin, sum := build("mybox", ".")
	program, _ := build("airlock", "github.com/computclaw/airlock/cmd/airlock")
	doctor := func(setting string, more ...string) string {
		cmd := exec.CommandContext(t.Context(), program, "doctor")
		cmd.Env = append([]string{"PATH=/usr/bin:/bin", "AIRLOCK_SANDBOX=mybox",
			"AIRLOCK_PLUGINS=mybox=" + plugin + "@sha256:" + setting}, more...)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	if out := doctor(sum); !strings.Contains(out, "mybox 1: ready, isolation restricted") ||
		!strings.Contains(out, "proved  no network") {
		t.Errorf("not ready:\n%s", out)
	}
	if out := doctor(strings.Repeat("0", 64)); !strings.Contains(out, "does not have the configured sha256") {
		t.Errorf("another checksum:\n%s", out)
	}
	if out := doctor(sum, "AIRLOCK_PLUGIN_MYBOX_COLOUR=blue"); !strings.Contains(out, `unknown setting "colour"`) {
		t.Errorf("a setting it doesn't know:\n%s", out)
	}
	// One that is refused doesn't keep others from being used.
	if out := doctor(strings.Repeat("0", 64), "AIRLOCK_SANDBOX=mybox,bubblewrap"); !strings.Contains(out,
		"bubblewrap 0.") || !strings.Contains(out, ": ready, isolation full") {
		t.Errorf("bubblewrap suffered:\n%s", out)
	}
	serves(t, program, "PATH=/usr/bin:/bin", "AIRLOCK_SANDBOX=mybox", "AIRLOCK_PLUGINS=mybox="+plugin+"@sha256:"+sum)
}

// serves starts the server with such an environment and runs a script.
func serves(t *testing.T, program string, env ...string) {
	t.Helper()
	port, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := port.Addr().String()
	if err := port.Close(); err != nil {
		t.Fatal(err)
	}
	env = append(env, "AIRLOCK_ADDR="+addr, "AIRLOCK_URL=http://"+addr,
		"AIRLOCK_DATA_DIR="+filepath.Join(t.TempDir(), "data"), "AIRLOCK_POOL=1", "AIRLOCK_WORKERS=1")
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Env = env
		return cmd
	}
	var log bytes.Buffer
	server := command("serve")
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	for deadline := time.Now().Add(time.Minute); command("health").Run() != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the server doesn't answer")
		}
	}
	output := func(cmd *exec.Cmd) string {
		t.Helper()
		var words bytes.Buffer
		cmd.Stderr = &words
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, words.String())
		}
		return strings.TrimSpace(string(out))
	}
	profile := output(command("admin", "profile", "create", "--description", "an own backend"))
	output(command("admin", "profile", "lock", profile))
	script := filepath.Join(t.TempDir(), "script.py")
	if err := os.WriteFile(script, []byte("set_result(6 * 7)"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := command("run", script, "--json")
	run.Env = append(run.Env, "AIRLOCK_PROFILE="+profile)
	var x struct {
		Result   int
		Manifest struct {
			Circumstances struct{ Backend, Isolation string }
		}
	}
	if out := output(run); json.Unmarshal([]byte(out), &x) != nil || x.Result != 42 ||
		x.Manifest.Circumstances.Backend != "mybox" || x.Manifest.Circumstances.Isolation != "restricted" {
		t.Errorf("%s", out)
	}
}
