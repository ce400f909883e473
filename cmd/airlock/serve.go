package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/web"
)

const serveUsage = `Usage: airlock serve

Serves the agent API and the admin UI until SIGTERM or SIGINT, after which executions may go on for AIRLOCK_DRAIN. A second signal ends it at once. The first start prints the admin token. Settings: airlock config.
`

// serve is airlock serve.
func serve(ctx context.Context, c console, args []string) error {
	if _, err := newFlags("serve", serveUsage).parse(c.out, args); err != nil {
		return err
	}
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	if err := harden(); err != nil {
		return err
	}
	log := newLog(c.err)
	s, err := start(ctx, cfg, log, c.out)
	if err != nil {
		return noRoomHere(cfg.DataDir, err)
	}
	select {
	case <-ctx.Done():
		log.Info("shutting down")
		err := s.stop()
		log.Info("stopped")
		return err
	case err := <-s.failed:
		return errors.Join(err, s.stop())
	}
}

// newLog writes JSON lines, or text for a person at a terminal.
func newLog(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if isTerminal(w) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// server is the whole program, running.
type server struct {
	*instance
	cfg     config
	lock    *os.File // on the data directory
	url     string   // as reached from this host
	log     *slog.Logger
	boxes   *sandboxes
	engine  *engine.Engine
	http    *http.Server
	metrics *metrics.Metrics
	monitor *http.Server // on AIRLOCK_METRICS_ADDR; nil if there is none
	where   web.Where
	failed  chan error // an error that ended the serving
	follow  context.CancelFunc

	following sync.WaitGroup
}

// start brings everything up: store, keys, listener, sandbox, engine, HTTP. It returns when requests are answered. The first admin token is printed to out.
func start(ctx context.Context, cfg config, log *slog.Logger, out io.Writer) (_ *server, err error) {
	s := &server{cfg: cfg, log: log, failed: make(chan error, 1), follow: func() {}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	// What can be wrong without the data directory is found out before anything is written there.
	listener, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w (set AIRLOCK_ADDR)", err)
	}
	defer func() {
		if err != nil {
			_ = listener.Close()
		}
	}()
	monitor, err := listenForMetrics(ctx, cfg.MetricsAddr)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && monitor != nil {
			_ = monitor.Close()
		}
	}()
	own, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil {
		return nil, fmt.Errorf("own address: %w", err)
	}
	if err := s.openData(ctx, cfg, log); err != nil {
		return nil, err
	}
	if err := s.openBoxes(cfg, log); err != nil {
		return nil, err
	}
	way, err := openOutside(ctx, cfg, s.instance, own)
	if err != nil {
		return nil, err
	}
	if err := s.startVault(ctx, log); err != nil {
		return nil, err
	}
	s.metrics = metrics.New(version())
	s.engine = newEngine(cfg, s.instance, s.boxes, way, s.metrics, log)
	if err := s.engine.Start(ctx); err != nil {
		return nil, err
	}
	s.url = localURL(own)
	if err := s.admit(ctx, cfg, out); err != nil {
		return nil, err
	}
	if err := s.serveHTTP(cfg, way, listener, monitor); err != nil {
		return nil, err
	}
	if err := s.keepUp(ctx); err != nil {
		return nil, err
	}
	log.Info("serving", "addr", own.String(), "url", s.url, "data", cfg.DataDir, "version", version())
	return s, nil
}

// openData opens the data directory for this process alone, and says what of it is at risk.
func (s *server) openData(ctx context.Context, cfg config, log *slog.Logger) (err error) {
	if !cfg.SecretKey.Empty() || cfg.SecretKeyFile != "" { // a wrong key leaves the directory as it is
		if _, _, _, err := secrets.LoadInstanceKey(cfg.SecretKey, cfg.SecretKeyFile, cfg.DataDir); err != nil {
			return err
		}
	}
	if s.lock, err = lockDataDir(cfg.DataDir); err != nil {
		return err
	}
	if err := dropUnfinishedKeys(cfg.DataDir); err != nil {
		return err
	}
	if s.instance, err = openInstance(ctx, cfg, log); err != nil {
		return err
	}
	if s.keyMade {
		log.Warn("made a new instance key; without it nothing in the database can be read, so back it up apart from the database", "file", s.keyFrom)
	}
	if risk := s.keyInfo().Risk; risk != "" && !s.keyMade {
		log.Warn("the instance key and the data share a disk", "key", s.keyFrom, "advice", risk)
	}
	if s.where, err = where(cfg); err != nil {
		return err
	}
	if s.where.Losing != "" {
		log.Warn("nothing that is stored here will outlive this container", "advice", s.where.Losing)
	}
	if err := access.NoteServing(ctx, s.store, s.keyring); err != nil {
		return err
	}
	return s.transfer.Tidy()
}

// dropUnfinishedKeys removes the key files that a start or a rotation was at when it was killed. A rotation that goes on is left alone.
func dropUnfinishedKeys(dir string) error {
	left, err := secrets.Unfinished(dir)
	if err != nil || len(left) == 0 {
		return err
	}
	rotation, err := lockRotation(dir)
	if err != nil {
		return nil //nolint:nilerr // it drops them itself
	}
	errs := []error{}
	for _, path := range left {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, rotation.Close())...)
}

// openBoxes opens the sandbox backends; what they need is proved later.
func (s *server) openBoxes(cfg config, log *slog.Logger) error {
	sockets, err := socketsIn(cfg.DataDir)
	if err != nil {
		return err
	}
	s.boxes, err = openSandboxes(cfg, s.label(), sockets, log)
	return err
}

// keepUp begins what goes on beside the requests until the server stops.
func (s *server) keepUp(ctx context.Context) error {
	ctx, s.follow = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.followChanges(ctx); err != nil {
		return err
	}
	s.following.Go(func() { s.transfer.Run(ctx) })
	s.following.Go(func() { s.keeper.Run(ctx) })
	return nil
}

func newEngine(cfg config, i *instance, boxes *sandboxes, way outside, counts *metrics.Metrics, log *slog.Logger) *engine.Engine {
	pool := cfg.Pool
	if pool == 0 {
		pool = -1 // the engine's word for none
	}
	return engine.New(engine.Config{
		Store: i.store, Access: i.access, Keyring: i.keyring, Hub: i.hub, Metrics: counts, Log: log,
		Gateway: way.gateway, CA: way.trusted,
		Sandboxes: boxes.list, Auto: cfg.auto(), Limits: cfg.Limits,
		Workers: cfg.Workers, Waiters: cfg.Waiters, Queue: cfg.Queue, Pool: pool,
		TimeoutDefault: cfg.TimeoutDefault, TimeoutMax: cfg.TimeoutMax, LLMWait: cfg.LLMWait, Patterns: cfg.Patterns.Find, Ahead: cfg.Patterns.Ahead,
	})
}

// admit sets the configured admin token, or makes and prints one at the first start.
func (s *server) admit(ctx context.Context, cfg config, out io.Writer) error {
	printed, err := s.access.EnsureAdminToken(ctx, cfg.AdminToken)
	if err != nil || printed.Empty() {
		return err
	}
	url := cfg.PublicURL
	if url == "" {
		url = s.url
	}
	_, err = io.WriteString(out, box("Airlock admin token: "+printed.Reveal(), "Open "+url+" to configure"))
	return err
}

// box draws a frame around lines.
func box(lines ...string) string {
	width := 0
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(l))
	}
	var b strings.Builder
	b.WriteString("╔" + strings.Repeat("═", width+4) + "╗\n")
	for _, l := range lines {
		b.WriteString("║  " + l + strings.Repeat(" ", width-utf8.RuneCountInString(l)) + "  ║\n")
	}
	b.WriteString("╚" + strings.Repeat("═", width+4) + "╝\n")
	return b.String()
}

// localURL is how a browser on this host reaches a listener.
func localURL(own netip.AddrPort) string {
	host := own.Addr().String()
	if own.Addr().IsUnspecified() || own.Addr().IsLoopback() {
		host = "localhost"
	} else if own.Addr().Is6() {
		host = "[" + host + "]"
	}
	return fmt.Sprintf("http://%s:%d", host, own.Port())
}

// patient is a listener that only ends when it is closed. Accept also fails for reasons that pass, such as a resource of the kernel that
// is used up for a while; a server that ended for them could be ended by whoever uses them up.
type patient struct {
	net.Listener
	log *slog.Logger
}

func (l patient) Accept() (net.Conn, error) {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		conn, err := l.Listener.Accept()
		if err == nil || errors.Is(err, net.ErrClosed) {
			return conn, err
		}
		l.log.Error("a connection could not be accepted", "error", err)
		time.Sleep(wait)
	}
}

func (s *server) serveHTTP(cfg config, way outside, listener, monitor net.Listener) error {
	connections, err := boundConnections(cfg.TrustedProxies, s.log)
	if err != nil {
		return err
	}
	face := web.New(web.Config{
		Conns:  connections,
		Access: s.access, Engine: s.engine, Prober: way.prober(s.instance, false), Transfer: s.transfer, Retention: s.keeper, Rules: cfg.Patterns, Metrics: s.metrics, Key: s.keyInfo, Hub: s.hub, Log: s.log, PublicURL: cfg.PublicURL, TrustedProxies: cfg.TrustedProxies,
		Version: version(), Where: s.where, Limits: cfg.Limits, TimeoutDefault: cfg.TimeoutDefault, TimeoutMax: cfg.TimeoutMax, LLMWait: cfg.LLMWait,
	})
	s.http = face.HTTPServer()
	go func() {
		if err := s.http.Serve(connections.Listener(patient{listener, s.log})); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("serve: %w", err)
		}
	}()
	if monitor != nil {
		s.serveMetrics(monitor, face.Metrics())
	}
	return nil
}

// stop ends everything in the reverse order of start. First what a person moves in or out is given up. Then executions may come to their end, within the configured time: their agents still reach
// the API meanwhile. Then: no new requests, requests under way within grace, executions that are left, boxes, store.
func (s *server) stop() error {
	var errs []error
	if s.instance != nil {
		s.transfer.Close() // an import keeps the store's only writer, which the ends of executions need
	}
	if s.engine != nil && s.http != nil {
		ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Drain)
		s.engine.Drain(ctx)
		cancel()
	}
	s.follow()
	s.following.Wait()
	if s.http != nil {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		if err := s.http.Shutdown(ctx); err != nil {
			errs = append(errs, s.http.Close())
		}
		cancel()
	}
	if s.monitor != nil {
		errs = append(errs, s.monitor.Close())
	}
	if s.engine != nil {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		errs = append(errs, s.engine.Close(ctx))
		cancel()
	}
	if s.boxes != nil {
		errs = append(errs, s.boxes.close())
	}
	if s.instance != nil {
		errs = append(errs, s.instance.close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}
