package overview

import (
	"log/slog"
	"sync/atomic"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Config is what Handlers need.
type Config struct {
	Access  *access.Parts
	Engine  *engine.Engine
	Hub     *live.Hub
	Log     *slog.Logger
	Version string
	Drain   *httpx.Drain
}

// Handlers answer the pages about the instance as a whole.
type Handlers struct {
	*uix.UI
	access  *access.Parts
	engine  *engine.Engine
	hub     *live.Hub
	log     *slog.Logger
	version string
	drain   *httpx.Drain
	streams atomic.Int64 // open event streams
}

// New returns Handlers.
func New(ui *uix.UI, cfg Config) *Handlers {
	return &Handlers{
		UI: ui, access: cfg.Access, engine: cfg.Engine, hub: cfg.Hub, log: cfg.Log,
		version: cfg.Version, drain: cfg.Drain,
	}
}

// Routes are the pages and forms of this package.
func (h *Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Root, h.showOverview),
		httpx.Get(paths.Events, h.events),
		httpx.Get(paths.Stats, h.showStats),
		httpx.Get(paths.Inbox, h.showInbox),
		httpx.Get(paths.InboxCount, h.countInbox),
		httpx.Get(paths.Sandbox, h.showSandbox),
		httpx.Post(paths.SandboxProve, h.proveSandbox).Back(httpx.Redirect(paths.Sandbox)),
		httpx.Get(paths.Search, h.search),
		httpx.Get(paths.Root+"/", httpx.Redirect(paths.Root)),
	}
}
