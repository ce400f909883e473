package sandboxtest

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/computclaw/airlock/plugins"
)

func pluginKilled(t *testing.T, b *bench) {
	pid := b.sandbox.(pider).PID()
	stdout, up := awaitUp()
	mark := token()
	done := b.start(t.Context(), plugins.Spec{}, sleeper(mark), stdout)
	awaitBox(t, up, done)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if r := receive(t, "error", done, patience); !errors.Is(r.err, plugins.ErrLost) {
		t.Errorf("Run = %+v, want ErrLost", r)
	}
	noneWith(t, mark, patience)
	// The next call starts the plugin again, checked as before.
	if r := b.run(t, plugins.Spec{}, python("print('again')")); r.out != "again\n" {
		t.Errorf("output %q", r.out)
	}
	if now := b.sandbox.(pider).PID(); now == pid || now == 0 {
		t.Errorf("plugin process %d, was %d", now, pid)
	}
}

func hostKilled(t *testing.T, b *bench) {
	client, ok := b.sandbox.(*plugins.Client)
	if !ok {
		t.Fatalf("the suite needs a *plugins.Client, not %T", b.sandbox)
	}
	guest, err := argument(client.PID(), 3)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, mark := t.TempDir(), token()
	cfg := newConfig(t, b.cfg.Settings)
	args := []string{"host", b.opts.Name, guest, dir, "instance=" + cfg.Instance, "state=" + cfg.StateDir,
		"mark=" + mark}
	for key, value := range cfg.Settings {
		args = append(args, key+"="+value)
	}
	cmd := exec.Command(self, args...)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	pid := firstLine(t, lines)
	if up := firstLine(t, lines); up != "up" {
		t.Fatalf("the box said %q", up)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	noneWith(t, mark, patience)
	eventually(t, patience, func() []string {
		if _, err := os.Stat("/proc/" + pid); err == nil {
			return []string{"plugin " + pid}
		}
		return nil
	})
	if b.opts.Leftovers != nil {
		eventually(t, patience, func() []string { return b.opts.Leftovers(cfg.Instance) })
	}
	eventually(t, patience, func() []string { return filesIn(dir) })
}

func firstLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func argument(pid, n int) (string, error) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return "", err
	}
	args := strings.Split(string(b), "\x00")
	if len(args) <= n {
		return "", errors.New("process has too few arguments")
	}
	return args[n], nil
}
