package plugins

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	plugin "github.com/hashicorp/go-plugin"
)

const (
	startTime = 10 * time.Second
	pingTime  = 2 * time.Second
)

// process is one running plugin.
type process struct {
	Sandbox
	client  *plugin.Client
	rpc     plugin.ClientProtocol
	leash   *os.File // write end; the plugin ends when it closes
	sockets string   // directory
	started time.Time
}

// start runs the plugin and connects to it.
func start(cfg HostConfig) (_ *process, err error) {
	p := &process{started: time.Now()}
	defer func() {
		if err != nil {
			_ = p.end()
		}
	}()
	cmd, secure, err := command(cfg)
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
	// Set here because go-plugin makes its own directory only for custom runners, and would use the system's temporary one.
	cmd.Env = []string{plugin.EnvUnixSocketDir + "=" + p.sockets}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the host, which ends plugins in order

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
	})
	if p.rpc, err = p.client.Client(); err != nil {
		return nil, fmt.Errorf("start plugin %s: %w", cfg.Name, err)
	}
	raw, err := p.rpc.Dispense(kind)
	if err != nil {
		return nil, fmt.Errorf("plugin %s: %w", cfg.Name, err)
	}
	p.Sandbox = raw.(Sandbox)
	return p, nil
}

// command is the plugin's command line and, for one that isn't this program, its checksum.
func command(cfg HostConfig) (*exec.Cmd, *plugin.SecureConfig, error) {
	if cfg.Path == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, nil, err
		}
		return &exec.Cmd{Path: self, Args: append([]string{self, "plugin", cfg.Name}, cfg.Args...)}, nil, nil
	}
	if len(cfg.SHA256) != sha256.Size {
		return nil, nil, fmt.Errorf("plugin %s: %s needs its sha256", cfg.Name, cfg.Path)
	}
	if !filepath.IsAbs(cfg.Path) {
		return nil, nil, fmt.Errorf("plugin %s: %s is not an absolute path", cfg.Name, cfg.Path)
	}
	secure := &plugin.SecureConfig{Checksum: cfg.SHA256, Hash: sha256.New()}
	return &exec.Cmd{Path: cfg.Path, Args: append([]string{cfg.Path}, cfg.Args...)}, secure, nil
}

// maxSocketDir leaves room for the socket's name within the kernel's 108 bytes.
const maxSocketDir = 80

// socketDir makes a fresh directory that only we can enter. A data directory with a long path can't hold sockets; the system's
// temporary directory then does.
func socketDir(cfg HostConfig) (string, error) {
	dir := filepath.Join(cfg.Dir, cfg.Name)
	if cfg.Dir == "" || len(dir) > maxSocketDir {
		return os.MkdirTemp("", "airlock-")
	}
	if err := os.RemoveAll(dir); err != nil { // of a host that was killed
		return "", err
	}
	return dir, os.Mkdir(dir, 0o700)
}

// lost reports whether the process is gone or no longer answers.
func (p *process) lost() bool {
	if p.client.Exited() {
		return true
	}
	answer := make(chan error, 1)
	go func() { answer <- p.rpc.Ping() }()
	select {
	case err := <-answer:
		return err != nil
	case <-time.After(pingTime):
		return true
	}
}

func (p *process) pid() int {
	n, _ := strconv.Atoi(p.client.ID())
	return n
}

// end asks the plugin to end, kills it if it doesn't, and removes what it left.
func (p *process) end() error {
	if p.leash != nil {
		p.leash.Close()
	}
	if p.client != nil {
		p.client.Kill()
	}
	if p.sockets == "" {
		return nil
	}
	return os.RemoveAll(p.sockets)
}

var errClosed = errors.New("sandbox plugin is closed")
