package web

import (
	"cmp"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/backups"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/app/testrequest"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/web/api"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/mcphttp"
	"github.com/computclaw/airlock/app/web/ui"
	"github.com/computclaw/airlock/app/web/ui/uix"
)

// Config is what a Server needs.
type Config struct {
	Access         *access.Parts
	Engine         *engine.Engine
	Tester         *testrequest.Tester
	Transfer       *transfer.Service
	Backups        *backups.Service
	Key            instance.KeyInfo
	Retention      *retention.Keeper
	Rules          *patterns.Set    // of redaction, as people see them
	Metrics        *metrics.Metrics // nil: counted here, and shown
	Hub            *live.Hub
	Log            *slog.Logger
	PublicURL      string         // without trailing slash; "" means from the request
	TrustedProxies []netip.Prefix // peers whose X-Forwarded-* count
	Version        string
	Where          Where
	// ProfilesPerMinute bounds POST /profiles by one address; 0: profilesPerMinute. All together
	// get ten times as many.
	ProfilesPerMinute int
	Waits             *shares.Shares   // long polls, by profile; nil: httpx.MaxLongPolls
	Answers           *httpx.Places    // nil: one with the default limits
	Bodies            *httpx.Places    // likewise
	Now               func() time.Time // nil: time.Now
}

// Where tells people in which place Airlock runs.
type Where struct {
	Token  string // where this platform shows the admin token; "" if unknown
	Losing string // why the data won't be there after the next start, and what to do; "" if it will
}

// Server serves all HTTP. It is safe for concurrent use.
type Server struct {
	cfg     Config
	origins httpx.Origins
	drain   *httpx.Drain
	api     *api.Handlers
	ui      *ui.Handlers
	mcp     *mcphttp.Handler
	handler http.Handler
}

// New returns a Server.
func New(cfg Config) *Server {
	cfg.setDefaults()
	s := &Server{
		cfg: cfg, drain: httpx.NewDrain(),
		origins: httpx.Origins{PublicURL: cfg.PublicURL, TrustedProxies: cfg.TrustedProxies},
	}
	s.api = api.New(api.Config{
		Access: cfg.Access, Engine: cfg.Engine, Hub: cfg.Hub, Log: cfg.Log, Now: cfg.Now, Version: cfg.Version,
		Origins: s.origins, Drain: s.drain, Waits: cfg.Waits, Answers: cfg.Answers,
		Retention:         cfg.Retention.Policy(),
		ProfilesPerMinute: cfg.ProfilesPerMinute,
	})
	s.ui = ui.New(ui.Config{
		Config: uix.Config{
			Access: cfg.Access, Engine: cfg.Engine, Transfer: cfg.Transfer, Backups: cfg.Backups, Hub: cfg.Hub,
			Log: cfg.Log, Now: cfg.Now,
			Origins: s.origins, Drain: s.drain, Version: cfg.Version, DataLoss: cfg.Where.Losing,
		},
		Tester: cfg.Tester, Retention: cfg.Retention, Rules: cfg.Rules, Key: cfg.Key, TokenPlace: cfg.Where.Token,
	})
	e := s.router()
	s.mcp = mcphttp.New(mcphttp.Config{
		API: e, Version: cfg.Version, Origins: s.origins, Drain: s.drain, Hub: cfg.Hub, Now: cfg.Now,
	})
	s.addRoutes(e)
	s.handler = e
	return s
}

func (c *Config) setDefaults() {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Metrics == nil {
		c.Metrics = metrics.New(c.Version)
	}
	if c.Waits == nil {
		c.Waits = shares.New(httpx.MaxLongPolls)
	}
	if c.Answers == nil {
		c.Answers = httpx.NewAnswerPlaces(0, 0)
	}
	if c.Bodies == nil {
		c.Bodies = httpx.NewBodyPlaces(0)
	}
	c.ProfilesPerMinute = cmp.Or(c.ProfilesPerMinute, profilesPerMinute)
}

const profilesPerMinute = 20

// router returns echo with the middleware of every route.
func (s *Server) router() *echo.Echo {
	e := echo.New()
	e.HideBanner = true
	e.HidePort = true
	e.Logger.SetOutput(io.Discard) // echo's own logger would print paths
	e.IPExtractor = s.origins.ClientAddress
	e.SchemeExtractor = s.origins.Scheme
	e.HTTPErrorHandler = s.fail
	e.Use(httpx.KeepTraceID, s.logRequests, s.recoverPanics, secureHeaders, s.cfg.Bodies.LimitBodies(hasFile),
		s.refuseCrossOrigin())
	return e
}

// hasFile selects requests with files for bodies, which their handlers bound.
func hasFile(r *http.Request) bool {
	return uix.IsUpload(r) || r.Method == http.MethodPost &&
		(r.URL.Path == api.UploadPath || r.URL.Path == api.SkillsPath && api.IsZip(r))
}

// Handler answers every route.
func (s *Server) Handler() http.Handler { return s.handler }

// Drain ends long polls and event streams; the server still answers. For
// http.Server.RegisterOnShutdown.
func (s *Server) Drain() { s.drain.Start() }

// HTTPServer returns a server with the deadlines that Handler needs. They cut off slow clients, but
// no long poll. Streams lift them (httpx.KeepOpen).
func (s *Server) HTTPServer() *http.Server {
	srv := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       httpx.RequestTimeout - 10*time.Second, // to answer a body that stalls
		WriteTimeout:      httpx.RequestTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelWarn),
	}
	srv.RegisterOnShutdown(s.Drain)
	return srv
}
