package plugins

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	plugin "github.com/hashicorp/go-plugin"

	"github.com/computclaw/airlock/plugins/owner"
)

const (
	startTime = 10 * time.Second
	pingTime  = 2 * time.Second
)

type process struct {
	*remote
	client  *plugin.Client
	cut     context.CancelFunc // kills it, whatever it does
	rpc     plugin.ClientProtocol
	leash   *os.File // write end; the plugin ends when it closes
	sockets string   // directory
	started time.Time
	ended   chan struct{} // closed by end
	ending  sync.Once
	said    firstLine // on standard error
}

// start runs the plugin and connects to it. ctx bounds the start only: it kills a plugin that isn't
// connected by then.
func start(ctx context.Context, cfg HostConfig) (_ *process, err error) {
	p := &process{started: time.Now(), ended: make(chan struct{})}
	life, cut := context.WithCancel(context.WithoutCancel(ctx))
	p.cut = cut
	bound := context.AfterFunc(ctx, cut)
	defer func() {
		if !bound() && err == nil {
			err = context.Cause(ctx) // it was killed at the last moment
		}
		if err != nil {
			_ = p.end()
		}
	}()
	cmd, secure, err := command(life, cfg)
	if err != nil {
		return nil, err
	}
	if p.sockets, err = socketDir(cfg); err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p.leash = w
	cmd.ExtraFiles = []*os.File{r} // leashFD
	// go-plugin makes its own directory only for custom runners, and would use the system's
	// temporary one.
	cmd.Env = []string{plugin.EnvUnixSocketDir + "=" + p.sockets}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:     true, // Ctrl-C is for the host, which ends plugins in order
		AmbientCaps: cfg.Capabilities,
	}

	p.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  handshake(),
		Plugins:          plugin.PluginSet{kind: &endpoint{}},
		Cmd:              cmd,
		SecureConfig:     secure,
		SkipHostEnv:      true, // or every plugin would get the instance key
		AutoMTLS:         true,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		GRPCDialOptions:  dialOptions(),
		StartTimeout:     startTime,
		Logger:           newLogger(cfg.Logger, cfg.Name),
		Stderr:           &p.said,
	})
	if p.rpc, err = p.client.Client(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, startError(cfg.Name, err, p.said.line())
	}
	raw, err := p.rpc.Dispense(kind)
	if err != nil {
		return nil, fmt.Errorf("plugin %s: %w", cfg.Name, err)
	}
	p.remote = raw.(*remote)
	go p.watch(cfg.patience(), cfg.Logger.With("plugin", cfg.Name))
	return p, nil
}

// command returns the plugin's command line, killed when ctx ends, and a foreign program's
// checksum.
func command(ctx context.Context, cfg HostConfig) (*exec.Cmd, *plugin.SecureConfig, error) {
	if cfg.Path == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, nil, err
		}
		return exec.CommandContext(ctx, self, append([]string{"plugin", cfg.Name}, cfg.Args...)...), nil, nil
	}
	if len(cfg.SHA256) != sha256.Size {
		return nil, nil, fmt.Errorf("plugin %s: %s needs its sha256", cfg.Name, cfg.Path)
	}
	if !filepath.IsAbs(cfg.Path) {
		return nil, nil, fmt.Errorf("plugin %s: %s is not an absolute path", cfg.Name, cfg.Path)
	}
	if err := checkGuarded(cfg.Path); err != nil {
		return nil, nil, fmt.Errorf("plugin %s: %w", cfg.Name, err)
	}
	secure := &plugin.SecureConfig{Checksum: cfg.SHA256, Hash: sha256.New()}
	return exec.CommandContext(ctx, cfg.Path, cfg.Args...), secure, nil
}

// maxSocketDir leaves room for the socket's name within the kernel's 108 bytes.
const maxSocketDir = 80

// socketDir makes a fresh directory that only this user can enter. It uses the temporary directory
// if the data directory's path is too long. Each name is new: an orphaned plugin may be about to
// remove its own.
func socketDir(cfg HostConfig) (string, error) {
	prefix := cfg.Name + "."
	if cfg.Dir == "" || len(filepath.Join(cfg.Dir, prefix))+10 > maxSocketDir { // and a number
		const ownerAndNumber = 45
		if len(filepath.Join(os.TempDir(), "airlock-"))+ownerAndNumber > maxSocketDir {
			return os.MkdirTemp("", "airlock-") // stays if this process and the plugin are killed
		}
		return owner.MkdirTemp(os.TempDir(), "airlock-")
	}
	entries, err := os.ReadDir(cfg.Dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) { // of a host that was killed
			if err := os.RemoveAll(filepath.Join(cfg.Dir, e.Name())); err != nil {
				return "", err
			}
		}
	}
	return os.MkdirTemp(cfg.Dir, prefix)
}

// startError describes why a plugin could not start. said is its first line on standard error, if
// any.
func startError(name string, err error, said string) error {
	if said != "" {
		said = fmt.Sprintf("; it said: %q", said)
	}
	switch {
	case errors.Is(err, plugin.ErrChecksumsDoNotMatch):
		return fmt.Errorf("plugin %s: its file does not have the configured sha256; if you changed it on purpose, "+
			"configure the new one, as sha256sum prints it", name)
	case strings.Contains(err.Error(), "Unrecognized remote plugin message"):
		return fmt.Errorf("plugin %s: what it printed is not the plugin protocol: it is no sandbox plugin, or ended "+
			"at its start%s", name, said)
	}
	return fmt.Errorf("start plugin %s: %w%s", name, err, said)
}

// watch kills a plugin that hangs, with its boxes. Calls in progress return ErrLost.
func (p *process) watch(patience time.Duration, log *slog.Logger) {
	ticker := time.NewTicker(patience / 4)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-p.ended:
			return
		}
		if p.client.Exited() {
			return
		}
		if p.answers(patience) {
			continue
		}
		select {
		case <-p.ended:
		default:
			log.Error("the sandbox plugin does not answer any more and is ended", "after_s", patience.Seconds())
			_ = p.kill()
		}
		return
	}
}

func (p *process) kill() error {
	pid := p.pid()
	if pid <= 0 || p.client.Exited() {
		return nil
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

// answers reports whether the plugin answers a ping in time.
func (p *process) answers(within time.Duration) bool {
	answer := make(chan error, 1)
	go func() { answer <- p.rpc.Ping() }()
	patience := time.NewTimer(within)
	defer patience.Stop()
	select {
	case err := <-answer:
		return err == nil
	case <-patience.C:
		return false
	case <-p.ended:
		return false
	}
}

func (p *process) isLost() bool {
	if p.client.Exited() {
		return true
	}
	return !p.answers(pingTime)
}

func (p *process) pid() int {
	n, _ := strconv.Atoi(p.client.ID())
	return n
}

// end asks the plugin to end, kills it if needed, and removes what it left.
func (p *process) end() error {
	p.ending.Do(func() { close(p.ended) })
	if p.leash != nil {
		p.leash.Close()
	}
	if p.client != nil {
		p.client.Kill()
	}
	p.cut()
	if p.sockets == "" {
		return nil
	}
	return os.RemoveAll(p.sockets)
}

var errClosed = errors.New("sandbox plugin is closed")
