package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"

	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/web"
	"github.com/computclaw/airlock/cmd/airlock/internal/build"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/harden"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

const serveUsage = `Usage: airlock serve

Serves the agent API and the admin UI until SIGTERM or SIGINT. Executions may then go on for
AIRLOCK_DRAIN; a second signal ends the server at once. The first start prints the admin token.
Settings: airlock config.
`

// serve is airlock serve.
func serve(ctx context.Context, c cli.Console, args []string) error {
	if _, err := cli.Parse(c.Out, "serve", serveUsage, args); err != nil {
		return err
	}
	cfg, err := config.Load(c.Env)
	if err != nil {
		return err
	}
	if err := harden.Process(); err != nil {
		return err
	}
	log := newLog(c.Err)
	s, err := start(ctx, cfg, log, c.Out)
	if err != nil {
		return instance.NoRoomHere(cfg.DataDir, err)
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
	if cli.IsTerminal(w) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// server is the whole program, running.
type server struct {
	*instance.Instance
	cfg     config.Config
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

// start brings everything up: store, keys, listener, sandbox, engine, HTTP. It returns when
// requests are answered. out gets the first admin token. After an error the process has to end,
// which closes the listeners.
func start(ctx context.Context, cfg config.Config, log *slog.Logger, out io.Writer) (_ *server, err error) {
	s := &server{cfg: cfg, log: log, failed: make(chan error, 1), follow: func() {}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	// Check what doesn't need the data directory before writing there.
	listener, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w (set AIRLOCK_ADDR)", err)
	}
	monitor, err := listenForMetrics(ctx, cfg.MetricsAddr)
	if err != nil {
		return nil, err
	}
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
	way, err := instance.OpenNetwork(ctx, cfg, s.Instance, own)
	if err != nil {
		return nil, err
	}
	if err := s.StartVault(ctx, log); err != nil {
		return nil, err
	}
	s.metrics = metrics.New(build.Version)
	s.engine = newEngine(cfg, s.Instance, s.boxes, way, s.metrics, log)
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
	log.Info("serving", "addr", own.String(), "url", s.url, "data", cfg.DataDir, "version", build.Version)
	return s, nil
}

// openData opens the data directory exclusively and logs risks.
func (s *server) openData(ctx context.Context, cfg config.Config, log *slog.Logger) (err error) {
	if !cfg.SecretKey.Empty() || cfg.SecretKeyFile != "" { // a wrong key leaves the directory as it is
		if _, _, _, err := secrets.LoadInstanceKey(cfg.SecretKey, cfg.SecretKeyFile, cfg.DataDir); err != nil {
			return err
		}
	}
	if s.lock, err = instance.LockDataDir(cfg.DataDir); err != nil {
		return err
	}
	if err := secrets.DropUnfinishedKeys(cfg.DataDir); err != nil {
		return err
	}
	if s.Instance, err = instance.Open(ctx, cfg, log); err != nil {
		return err
	}
	if s.KeyMade {
		log.Warn("made a new instance key; without it nothing in the database can be read, so back it up apart from the "+
			"database", "file", s.Key.From)
	}
	if risk := s.Key.Risk; risk != "" && !s.KeyMade {
		log.Warn("the instance key and the data share a disk", "key", s.Key.From, "advice", risk)
	}
	if s.where, err = config.Where(cfg); err != nil {
		return err
	}
	if s.where.Losing != "" {
		log.Warn("nothing that is stored here will outlive this container", "advice", s.where.Losing)
	}
	return s.Transfer.Tidy()
}

// openBoxes opens the sandbox backends; start checks them later.
func (s *server) openBoxes(cfg config.Config, log *slog.Logger) error {
	sockets, err := socketsIn(cfg.DataDir)
	if err != nil {
		return err
	}
	s.boxes, err = openSandboxes(cfg, s.Label(), sockets, log)
	return err
}

// keepUp starts the background work until the server stops.
func (s *server) keepUp(ctx context.Context) error {
	ctx, s.follow = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.followChanges(ctx); err != nil {
		return err
	}
	if s.Rotating {
		s.following.Go(func() { s.finishRotation(ctx) })
	}
	s.following.Go(func() { s.Transfer.Run(ctx) })
	s.following.Go(func() { s.Backups.Run(ctx) })
	s.following.Go(func() { s.Keeper.Run(ctx) })
	s.following.Go(func() { s.engine.Files.Run(ctx) })
	return nil
}

// finishRotation seals everything with the new instance key, where no command can be run beside a
// stopped server.
func (s *server) finishRotation(ctx context.Context) {
	n, err := s.FinishRotationBeside(ctx, s.cfg)
	switch {
	case err != nil && ctx.Err() == nil:
		s.log.Error("the rotation of the instance key is not finished; start the server again", "error", err)
	case err == nil:
		s.log.Info("everything is sealed with the instance key; AIRLOCK_SECRET_KEY_OLD is not needed any more", "key",
			s.Key.ID, "tokens", n)
	}
}

func newEngine(cfg config.Config, i *instance.Instance, boxes *sandboxes, way instance.Network,
	counts *metrics.Metrics, log *slog.Logger) *engine.Engine {
	pool := cfg.Pool
	if pool == 0 {
		pool = -1 // the engine's word for none
	}
	return engine.New(engine.Config{
		Store: i.Store, Access: i.Access, Keyring: i.Keyring, Hub: i.Hub, Metrics: counts, Log: log,
		Gateway: way.Gateway, CA: way.Trusted, Files: i.Files,
		Imports:   cfg.Imports,
		Sandboxes: boxes.list, Auto: cfg.Auto(), Limits: cfg.Limits,
		Workers: cfg.Workers, Waiters: cfg.Waiters, Queue: cfg.Queue, Pool: pool,
		Timeouts: cfg.Timeouts, Patterns: cfg.Patterns.Find, Ahead: cfg.Patterns.FindAhead,
	})
}

// admit sets the configured admin token, or prints a new one at the first start.
func (s *server) admit(ctx context.Context, cfg config.Config, out io.Writer) error {
	printed, err := s.Access.AdminToken.Ensure(ctx, cfg.AdminToken)
	if err != nil || printed.Empty() {
		return err
	}
	url := cfg.PublicURL
	if url == "" {
		url = s.url
	}
	_, err = fmt.Fprintf(out, "\nAirlock admin token: %s\nOpen %s to configure\n\n", printed.Reveal(), url)
	return err
}

// localURL returns a listener's address for a browser on this host.
func localURL(own netip.AddrPort) string {
	host := own.Addr().String()
	if own.Addr().IsUnspecified() || own.Addr().IsLoopback() {
		host = "localhost"
	} else if own.Addr().Is6() {
		host = "[" + host + "]"
	}
	return fmt.Sprintf("http://%s:%d", host, own.Port())
}

func (s *server) serveHTTP(cfg config.Config, way instance.Network, listener, monitor net.Listener) error {
	bounded, err := boundConnections(listener, cfg.TrustedProxies, s.log)
	if err != nil {
		return err
	}
	face := web.New(web.Config{
		Access: s.Access, Engine: s.engine, Tester: way.Tester(s.Instance, false), Transfer: s.Transfer, Backups: s.Backups,
		Retention: s.Keeper,
		Rules:     cfg.Patterns, Metrics: s.metrics, Key: s.Key, Hub: s.Hub, Log: s.log, PublicURL: cfg.PublicURL,
		TrustedProxies: cfg.TrustedProxies,
		Version:        build.Version, Where: s.where,
	})
	s.http = face.HTTPServer()
	go func() {
		if err := s.http.Serve(bounded); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("serve: %w", err)
		}
	}()
	if monitor != nil {
		s.serveMetrics(monitor, face.Metrics())
	}
	return nil
}

// stop ends everything in reverse order. Imports and exports are given up. Executions may end
// within the configured time, while the API answers. Then go new requests, requests under way
// within grace, remaining executions, boxes and the store.
func (s *server) stop() error {
	var errs []error
	if s.Instance != nil {
		s.Transfer.Close() // an import keeps the store's only writer, which the ends of executions need
	}
	if s.engine != nil && s.http != nil {
		ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Drain)
		s.engine.Drain(ctx)
		cancel()
	}
	s.follow()
	s.following.Wait()
	if s.http != nil {
		ctx, cancel := context.WithTimeout(context.Background(), instance.Grace)
		if err := s.http.Shutdown(ctx); err != nil {
			errs = append(errs, s.http.Close())
		}
		cancel()
	}
	if s.monitor != nil {
		errs = append(errs, s.monitor.Close())
	}
	if s.engine != nil {
		ctx, cancel := context.WithTimeout(context.Background(), instance.EngineGrace)
		errs = append(errs, s.engine.Close(ctx))
		cancel()
	}
	if s.boxes != nil {
		errs = append(errs, s.boxes.Close())
	}
	if s.Instance != nil {
		errs = append(errs, s.Instance.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}
