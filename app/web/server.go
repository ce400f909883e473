package web

import (
	"log/slog"
	"net/http"
	"net/netip"
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
	"github.com/computclaw/airlock/app/web/httpx"
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
	creation   *httpx.RateLimiter // of profiles by agents
	changes    *httpx.RateLimiter // of unlocked profiles by agents
	tests      *httpx.RateLimiter // of credentials by people
	sessions   *httpx.RateLimiter // of MCP clients
	staged     staging            // values that were pasted and not yet decided about
	waits      httpx.WaitLimiter
	bodies     httpx.BodyLimiter
	answers    *httpx.AnswerLimiter
	origins    httpx.Origins
	drain      *httpx.Drain
	vaultSeen  vaultWatch
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
		creation: httpx.NewRateLimiter(cfg.ProfilesPerMinute, cfg.Now),
		changes:  httpx.NewRateLimiter(changesPerMinute, cfg.Now),
		tests:    httpx.NewRateLimiter(testsPerMinute, cfg.Now),
		sessions: httpx.NewRateLimiter(sessionsPerMinute, cfg.Now),
		bodies:   httpx.NewBodyLimiter(),
		answers:  httpx.NewAnswerLimiter(0),
		origins:  httpx.Origins{PublicURL: cfg.PublicURL, TrustedProxies: cfg.TrustedProxies},
		drain:    httpx.NewDrain(),

		modelCalls: shares.New(maxModelCalls),
		modelUsers: shares.New(maxModelCalls),
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
	e.IPExtractor = s.origins.ClientAddress
	e.SchemeExtractor = s.origins.Scheme
	e.HTTPErrorHandler = s.fail
	e.Use(httpx.KeepTraceID, s.logRequests, s.recoverPanics, secureHeaders, s.bodies.Middleware(isUpload), s.refuseCrossOrigin())
	s.routes(e)
	return e
}

// Drain ends every long poll and event stream; the server still answers. For http.Server.RegisterOnShutdown.
func (s *Server) Drain() { s.drain.Start() }

// HTTPServer returns a server with the time limits that Handler counts on: slow senders and slow readers are cut off, a long poll is not.
// Event streams lift the limits for themselves (see keepOpen).
func (s *Server) HTTPServer() *http.Server {
	srv := &http.Server{
		Handler:           conns.Handler(s.Handler()),
		ConnContext:       conns.Context,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       httpx.RequestTimeout,
		WriteTimeout:      httpx.RequestTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelWarn),
	}
	srv.RegisterOnShutdown(s.Drain)
	return srv
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
