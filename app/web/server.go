package web

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/conns"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/probe"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/app/transfer"
)

// Config is what a Server needs.
type Config struct {
	Access         *access.Service
	Engine         *engine.Engine
	Prober         *probe.Prober
	Transfer       *transfer.Service
	Key            func() KeyInfo
	Retention      *retention.Keeper
	Rules          *patterns.Set    // of redaction, as people see them
	Metrics        *metrics.Metrics // nil: counted here, and shown
	Conns          *conns.Set       // of HTTPServer, which the metrics show; nil if they aren't bounded
	Hub            *live.Hub
	Log            *slog.Logger
	PublicURL      string         // without trailing slash; "" means from the request
	TrustedProxies []netip.Prefix // peers whose X-Forwarded-* count
	Version        string
	Where          Where
	Limits         app.Limits    // shown to agents
	TimeoutDefault time.Duration // 0: app.DefaultTimeout
	TimeoutMax     time.Duration // 0: app.MaxTimeout
	LLMWait        time.Duration // 0: app.DefaultLLMWait
	// ProfilesPerMinute bounds POST /profiles per address; 0: 20. Ten times as many are allowed from all addresses together.
	ProfilesPerMinute int
	Now               func() time.Time // nil: time.Now
}

// Where is what people are told about the place that Airlock runs in.
type Where struct {
	Token  string // where the admin token is found; "" for what is true everywhere
	Losing string // why the data won't be there after the next start, and what to do; "" if it will
}

// Server serves both faces. It is safe for concurrent use.
type Server struct {
	cfg        Config
	creation   *limiter // of profiles by agents
	changes    *limiter // of unlocked profiles by agents
	tests      *limiter // of credentials by people
	sessions   *limiter // of MCP clients
	staged     staging  // values that were pasted and not yet decided about
	waiters    waiters
	bodies     room
	answers    *answers
	vaultSeen  vaultWatch
	closing    chan struct{} // closed by Drain
	drain      sync.Once
	streams    atomic.Int64   // open event streams
	modelCalls *shares.Shares // requests to /mcp that are being answered, by address
	modelUsers *shares.Shares // and by bearer
}

// New returns a Server.
func New(cfg Config) *Server {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.TimeoutDefault == 0 {
		cfg.TimeoutDefault = app.DefaultTimeout
	}
	if cfg.TimeoutMax == 0 {
		cfg.TimeoutMax = app.MaxTimeout
	}
	if cfg.LLMWait == 0 {
		cfg.LLMWait = app.DefaultLLMWait
	}
	if cfg.Limits == (app.Limits{}) {
		cfg.Limits = app.DefaultLimits()
	}
	if cfg.Metrics == nil {
		cfg.Metrics = metrics.New(cfg.Version)
	}
	if cfg.ProfilesPerMinute == 0 {
		cfg.ProfilesPerMinute = 20
	}
	return &Server{
		cfg:      cfg,
		creation: newLimiter(cfg.ProfilesPerMinute),
		changes:  newLimiter(changesPerMinute),
		tests:    newLimiter(testsPerMinute),
		sessions: newLimiter(sessionsPerMinute),
		bodies:   room{most: maxBodies, tenure: bodyStay},
		answers:  newAnswers(),

		modelCalls: shares.New(maxModelCalls),
		modelUsers: shares.New(maxModelCalls),

		closing: make(chan struct{}),
	}
}

// changesPerMinute bounds what one address changes on profiles: each change is a row of the audit log.
const changesPerMinute = 120

// Handler returns the whole route table.
func (s *Server) Handler() http.Handler {
	e := echo.New()
	e.HideBanner = true
	e.HidePort = true
	e.Logger.SetOutput(discard{}) // echo's own logger would print paths
	e.IPExtractor = s.clientAddress
	e.SchemeExtractor = s.scheme
	e.HTTPErrorHandler = s.fail
	e.Use(noteTraces, s.logRequests, s.recoverPanics, secureHeaders, s.limitBody, s.refuseCrossOrigin())
	s.routes(e)
	return e
}

// Drain ends every long poll and event stream; the server still answers. For http.Server.RegisterOnShutdown.
func (s *Server) Drain() { s.drain.Do(func() { close(s.closing) }) }

// HTTPServer returns a server with the time limits that Handler counts on: slow senders and slow readers are cut off, a long poll is not.
// Event streams lift the limits for themselves (see keepOpen).
func (s *Server) HTTPServer() *http.Server {
	srv := &http.Server{
		Handler:           conns.Handler(s.Handler()),
		ConnContext:       conns.Context,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       requestTime,
		WriteTimeout:      requestTime,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelWarn),
	}
	srv.RegisterOnShutdown(s.Drain)
	return srv
}

// requestTime bounds one request from its first byte to the last byte of its answer: the longest wait plus time to send both bodies.
const requestTime = app.MaxPollWait + 60*time.Second

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// trusted reports whether the direct peer of a request is a proxy that the operator trusts.
func (s *Server) trusted(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && s.trustedAddr(addr)
}

func (s *Server) trustedAddr(addr netip.Addr) bool {
	addr = addr.Unmap()
	for _, p := range s.cfg.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
