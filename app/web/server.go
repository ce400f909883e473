// Package web is Airlock's HTTP face: one route table, the agent API (JSON, api_*.go) and the admin UI (HTML, ui_*.go).
package web

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/live"
)

// Config is what a Server needs.
type Config struct {
	Access         *access.Service
	Engine         *engine.Engine
	Hub            *live.Hub
	Log            *slog.Logger
	PublicURL      string   // without trailing slash; "" means from the request
	TrustedProxies []string // CIDRs whose X-Forwarded-* count
	Version        string
	Now            func() time.Time // nil: time.Now
}

// Server serves both faces.
type Server struct{ cfg Config }

// New returns a Server.
func New(cfg Config) *Server { return &Server{cfg: cfg} }

// Handler returns the whole route table.
func (s *Server) Handler() http.Handler { panic("not built") }
