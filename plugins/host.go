package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"
)

// HostConfig says which plugin to run and how.
type HostConfig struct {
	// Name of the backend. A built-in one is this program again, started as "plugin NAME".
	Name string
	// Path of an operator's own plugin, absolute; empty for a built-in one. SHA256 is then that
	// file's checksum, verified before each start. Others must not be able to write to the file and
	// its directory.
	Path   string
	SHA256 []byte
	// Args are added to the command line. Everybody on the host can read them.
	Args []string
	// Dir is an existing directory (0700) for the plugin's sockets, used by this host alone. If
	// it's empty or too long for sockets, a private temporary directory is used.
	Dir string
	// Capabilities are the numbers of those that the plugin gets. This process must be permitted
	// them; root's plugins have all of root's.
	Capabilities []uintptr
	// Patience is how long the plugin may leave a ping unanswered before it is killed as hung; 0
	// means 20 s.
	Patience time.Duration
	// Logger gets what the plugin logs. Nil discards it.
	Logger *slog.Logger
}

// Client is a Sandbox and a Meter in a plugin process. Safe for concurrent use.
//
// When the process dies or hangs, calls in progress return ErrLost. Client restarts it after a
// growing pause and repeats the last successful Check. A plugin whose promises changed is unusable
// until the next Check. After repeated early crashes calls fail at once until the pause is over.
type Client struct {
	cfg  HostConfig
	busy chan struct{} // holds the one token that guards the fields below

	life context.Context // ends when Close begins
	end  context.CancelFunc

	process  atomic.Pointer[process] // may be read without the token
	checked  *Config                 // of the last Check that found the backend ready
	promised Report                  // by that Check
	// the last successful one, also if repeated; nil before. May be read without the token
	proof   atomic.Pointer[proof]
	backoff Backoff // of starts
	closed  bool
}

// New returns a client whose plugin the first call starts. The caller must Close it.
func New(cfg HostConfig) *Client {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(context.Background())
	return &Client{cfg: cfg, busy: make(chan struct{}, 1), life: life, end: end}
}

func (cfg HostConfig) patience() time.Duration {
	if cfg.Patience > 0 {
		return cfg.Patience
	}
	return 20 * time.Second
}

// Open starts a plugin. The caller must Close the client.
func Open(ctx context.Context, cfg HostConfig) (*Client, error) {
	c := New(cfg)
	if _, err := c.findRunning(ctx, c.repeatCheck); err != nil {
		return nil, err
	}
	return c, nil
}

// Check implements Sandbox. A restarted plugin may promise something else than before.
func (c *Client) Check(ctx context.Context, cfg Config) (Report, error) {
	var report Report
	var failed error
	started := false
	p, err := c.findRunning(ctx, func(ctx context.Context, p *process) error {
		started = true
		// cut short it has left a plugin that opens no box
		if report, failed = p.Check(ctx, cfg); errors.Is(failed, ErrLost) || failed != nil && ctx.Err() != nil {
			return failed
		}
		if failed == nil {
			c.remember(cfg, report)
		}
		return nil
	})
	switch {
	case err != nil:
		return Report{}, err
	case started:
		return report, failed
	}
	if report, err = p.Check(ctx, cfg); err != nil {
		return report, c.reconsider(p, err)
	}
	c.busy <- struct{}{}
	defer func() { <-c.busy }()
	c.remember(cfg, report)
	return report, nil
}

// remember keeps what a restarted plugin has to be told. The caller holds the token.
func (c *Client) remember(cfg Config, report Report) {
	c.checked = nil
	c.proof.Store(nil)
	if report.Ready {
		c.checked, c.promised = &cfg, report
		c.proof.Store(&proof{report, time.Now()})
	}
}

// Run implements Sandbox. It calls stdout's CloseWrite method, if any, as soon as the output has
// ended. That may be well before Run returns.
func (c *Client) Run(ctx context.Context, spec Spec, stdin io.Reader, stdout io.Writer) (Exit, error) {
	p, err := c.findRunning(ctx, c.repeatCheck)
	if err != nil {
		return Exit{}, err
	}
	exit, err := p.Run(ctx, spec, stdin, stdout)
	// The reader learns at once that the box is lost; ending the rest of the plugin takes a while.
	if out, ok := stdout.(interface{ CloseWrite() error }); ok {
		_ = out.CloseWrite()
	}
	// not by us: the plugin is being ended and was quick to say so
	if err == nil && exit.Reason == ReasonKilled && ctx.Err() == nil {
		err = fmt.Errorf("%w: plugin %s ended while the box ran", ErrLost, c.cfg.Name)
	}
	return exit, c.reconsider(p, err)
}

// Usage implements Meter if the plugin does. It neither starts a plugin nor waits for a start: such
// a plugin has no boxes.
func (c *Client) Usage(ctx context.Context, id string) (Usage, error) {
	p := c.process.Load()
	if p == nil {
		return Usage{}, fmt.Errorf("%w: plugin %s has no boxes", ErrLost, c.cfg.Name)
	}
	return p.Usage(ctx, id)
}

// PID is the plugin's process, or 0 if none is running.
func (c *Client) PID() int {
	c.busy <- struct{}{}
	defer func() { <-c.busy }()
	p := c.process.Load()
	if p == nil {
		return 0
	}
	return p.pid()
}

// Close ends the plugin with every box, also one that is starting. Calls in progress return
// ErrLost.
func (c *Client) Close() error {
	c.end()
	c.busy <- struct{}{}
	defer func() { <-c.busy }()
	c.closed = true
	p := c.process.Swap(nil)
	if p == nil {
		return nil
	}
	return p.end()
}

// findRunning returns the plugin. prove first checks a new one, before anybody else can use it.
func (c *Client) findRunning(ctx context.Context, prove func(context.Context, *process) error) (*process, error) {
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.closed {
		return nil, errClosed
	}
	if p := c.process.Load(); p != nil && !p.client.Exited() {
		return p, nil
	}
	c.discard()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.life, cancel)()
	if err := c.pause(ctx); err != nil {
		return nil, err
	}
	return c.restart(ctx, prove)
}

// reconsider discards the plugin if a call's error means that it's gone. It must really be gone,
// since other boxes may still run.
func (c *Client) reconsider(p *process, err error) error {
	if errors.Is(err, ErrLost) && p.isLost() {
		c.busy <- struct{}{}
		defer func() { <-c.busy }()
		if c.process.Load() == p {
			c.discard()
		}
	}
	return err
}

// discard ends the rest of the plugin and decides when it may be started again.
func (c *Client) discard() {
	p := c.process.Swap(nil)
	if p == nil {
		return
	}
	c.backoff.NoteEnd(p.started)
	if err := p.end(); err != nil {
		c.cfg.Logger.Warn("clean up after sandbox plugin", "plugin", c.cfg.Name, "error", err)
	}
}

// crashLoop is how many early crashes in a row make calls fail at once.
const crashLoop = 5

func (c *Client) pause(ctx context.Context) error {
	if c.backoff.Failures >= crashLoop && time.Now().Before(c.backoff.retry) {
		return fmt.Errorf("%w: plugin %s ended %d times in a row right after its start; it is started again after "+
			"%s, see the log for why",
			ErrLost, c.cfg.Name, c.backoff.Failures, c.backoff.retry.Format(time.TimeOnly))
	}
	if err := c.backoff.Wait(ctx); err != nil {
		return fmt.Errorf("sandbox plugin %s keeps dying and is started again at %s: %w", c.cfg.Name,
			c.backoff.retry.Format(time.TimeOnly), err)
	}
	return nil
}

func (c *Client) restart(ctx context.Context, prove func(context.Context, *process) error) (*process, error) {
	p, err := start(ctx, c.cfg)
	if err != nil {
		if ctx.Err() == nil {
			c.backoff.NoteFailure()
		}
		return nil, err
	}
	if err := prove(ctx, p); err != nil {
		if ctx.Err() == nil {
			c.backoff.NoteFailure()
		}
		return nil, errors.Join(err, p.end())
	}
	c.process.Store(p)
	go c.mind(p)
	return p, nil
}

// repeatCheck checks that a restarted plugin keeps its promises. The caller holds the token.
func (c *Client) repeatCheck(ctx context.Context, p *process) error {
	if c.checked == nil {
		return nil
	}
	report, err := p.Check(ctx, *c.checked)
	if err == nil {
		err = report.Keeps(c.promised)
	}
	if err != nil {
		return fmt.Errorf("check restarted plugin %s: %w", c.cfg.Name, err)
	}
	c.proof.Store(&proof{report, time.Now()})
	c.cfg.Logger.Info("a sandbox backend was started again and passed its proof", "plugin", c.cfg.Name)
	return nil
}
