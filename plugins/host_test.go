package plugins

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain makes this binary a plugin too. Its box reports the plugin process's surroundings.
func TestMain(m *testing.M) {
	if len(os.Args) >= 3 && os.Args[1] == "plugin" {
		if os.Args[2] == mute {
			stayMute(os.Args[3])
		}
		if err := Serve(context.Background(), os.Args[2], &inside{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

type inside struct{ cfg Config }

func (s *inside) Check(_ context.Context, cfg Config) (Report, error) {
	s.cfg = cfg
	report := Report{Name: "inside", Ready: cfg.Settings["ready"] != "no", Reason: cfg.Settings["ready"]}
	if file := cfg.Settings["tier_file"]; file != "" {
		tier, err := os.ReadFile(file)
		if err != nil {
			return report, err
		}
		report.Tier = Tier(tier)
	}
	if file := cfg.Settings["image_file"]; file != "" {
		id, err := os.ReadFile(file)
		if err != nil {
			return report, err
		}
		report.Images = map[string]string{"image": string(id)}
	}
	return report, nil
}

func (s *inside) Run(ctx context.Context, spec Spec, _ io.Reader, out io.Writer) (Exit, error) {
	switch spec.ID {
	case "die":
		os.Exit(3)
	case "announce":
		fmt.Fprintln(out, "here")
		<-ctx.Done()
		return Exit{Reason: ReasonKilled}, nil
	case "wait":
		<-ctx.Done()
		return Exit{Reason: ReasonKilled}, nil
	}
	fmt.Fprintf(out, "instance=%s\n", s.cfg.Instance)
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		fmt.Fprintf(out, "env %s\n", name)
	}
	return Exit{Reason: ReasonExit}, nil
}

func open(t *testing.T, cfg HostConfig) *Client {
	t.Helper()
	cfg.Name = "inside"
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	c, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func output(t *testing.T, c *Client) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := c.Run(t.Context(), Spec{ID: "look"}, strings.NewReader(""), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPluginGetsNoEnvironment(t *testing.T) {
	t.Setenv("AIRLOCK_SECRET_KEY", "canary")
	allowed := []string{
		"env AIRLOCK_PLUGIN", "env PLUGIN_MIN_PORT", "env PLUGIN_MAX_PORT", "env PLUGIN_PROTOCOL_VERSIONS",
		"env PLUGIN_CLIENT_CERT", "env PLUGIN_UNIX_SOCKET_DIR",
	}
	for line := range strings.Lines(output(t, open(t, HostConfig{}))) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "env ") && !slices.Contains(allowed, line) {
			t.Errorf("the plugin got %s", line)
		}
	}
}

func TestSocketsArePrivateAndGo(t *testing.T) {
	dir := t.TempDir()
	// one of a host that was killed with its plugin, and one of another plugin of this host
	for _, name := range []string{"inside.1/old", "insider.1/other"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := open(t, HostConfig{Dir: dir})
	found, err := filepath.Glob(filepath.Join(dir, "inside.*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v, want one directory", found, err)
	}
	sockets := found[0]
	info, err := os.Stat(sockets)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v, %v, want a directory with mode 0700", info, err)
	}
	if entries, err := os.ReadDir(sockets); err != nil || len(entries) != 1 || entries[0].Name() == "old" {
		t.Errorf("%v, %v, want one socket", entries, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "insider.1" {
		t.Errorf("left: %v, %v, want the other plugin's only", left, err)
	}
	if _, err := c.Run(t.Context(), Spec{ID: "look"}, strings.NewReader(""), io.Discard); err == nil {
		t.Error("a closed client ran a box")
	}
}

func TestRestartRepeatsCheck(t *testing.T) {
	c := open(t, HostConfig{})
	if r, err := c.Check(t.Context(), Config{Instance: "first"}); err != nil || !r.Ready {
		t.Fatal(r, err)
	}
	before := c.PID()
	if _, err := c.Run(t.Context(), Spec{ID: "die"}, strings.NewReader(""), io.Discard); !errors.Is(err, ErrLost) {
		t.Fatalf("error %v, want ErrLost", err)
	}
	if out := output(t, c); !strings.Contains(out, "instance=first\n") {
		t.Errorf("the restarted plugin was not checked: %s", out)
	}
	if after := c.PID(); after == before || after == 0 {
		t.Errorf("plugin %d, was %d", after, before)
	}
}

func TestKilledPluginLosesRuns(t *testing.T) {
	c := open(t, HostConfig{})
	lost := make(chan error, 1)
	go func() {
		_, err := c.Run(t.Context(), Spec{ID: "wait"}, strings.NewReader(""), io.Discard)
		lost <- err
	}()
	if err := syscall.Kill(c.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-lost; !errors.Is(err, ErrLost) {
		t.Errorf("error %v, want ErrLost", err)
	}
}

type endedOutput struct{ began, ended chan struct{} }

func (o endedOutput) Write(p []byte) (int, error) {
	close(o.began)
	return len(p), nil
}

func (o endedOutput) CloseWrite() error {
	close(o.ended)
	return nil
}

// TestLostBoxIsKnownAtOnce: the output's reader hears of a killed plugin before cleanup, so no dead
// box is handed out.
func TestLostBoxIsKnownAtOnce(t *testing.T) {
	c := open(t, HostConfig{})
	out, lost := endedOutput{make(chan struct{}), make(chan struct{})}, make(chan error, 1)
	pid := c.PID()
	go func() {
		_, err := c.Run(t.Context(), Spec{ID: "announce"}, strings.NewReader(""), out)
		lost <- err
	}()
	<-out.began
	c.busy <- struct{}{} // somebody else is clearing it away
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-out.ended:
	case <-time.After(time.Minute):
		t.Error("the output has not ended")
	}
	select {
	case err := <-lost:
		t.Errorf("Run has returned %v, and nothing is cleared away", err)
	default:
	}
	<-c.busy
	if err := <-lost; !errors.Is(err, ErrLost) {
		t.Errorf("error %v, want ErrLost", err)
	}
}

func TestExternalPluginNeedsItsChecksum(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	right := sha256.Sum256(binary)
	wrong := sha256.Sum256([]byte("other"))
	base := HostConfig{Name: "inside", Path: self, Args: []string{"plugin", "inside"}, Dir: t.TempDir()}
	for name, sum := range map[string][]byte{"none": nil, "short": right[:8], "wrong": wrong[:]} {
		cfg := base
		cfg.SHA256 = sum
		if c, err := Open(t.Context(), cfg); err == nil {
			c.Close()
			t.Errorf("%s checksum: started", name)
		}
	}
	cfg := base
	cfg.SHA256 = right[:]
	output(t, open(t, cfg))
	cfg.Path = "relative"
	if c, err := Open(t.Context(), cfg); err == nil {
		c.Close()
		t.Error("relative path: started")
	}
}

func TestServeByHand(t *testing.T) {
	if err := Serve(t.Context(), "inside", &inside{}); err == nil ||
		!strings.Contains(err.Error(), "starts it by itself") {
		t.Errorf("error %v", err)
	}
}

func TestLoggerLevels(t *testing.T) {
	var out bytes.Buffer
	l := newLogger(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})), "p")
	l.Trace("frames")
	l.Info("started", "pid", 1)
	l.With("box", "a").Error("lost")
	got := out.String()
	if strings.Contains(got, "frames") || !strings.Contains(got, `level=DEBUG msg=started plugin=p pid=1`) ||
		!strings.Contains(got, `level=ERROR msg=lost plugin=p box=a`) {
		t.Error(got)
	}
}

// TestUsageDoesNotWaitForAStart: a starting plugin has no boxes, and a running one answers during a
// call.
func TestUsageDoesNotWaitForAStart(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	starting, running := New(HostConfig{Name: "inside"}), open(t, HostConfig{})
	for _, c := range []*Client{starting, running} {
		c.busy <- struct{}{} // as a start does
		_, err := c.Usage(ctx, "a")
		<-c.busy
		if err == nil || ctx.Err() != nil || errors.Is(err, ErrLost) != (c == starting) {
			t.Errorf("error %v", err)
		}
	}
}
