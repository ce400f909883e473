package dashboard

import (
	"sync/atomic"

	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers serve the pages about the whole instance.
type Handlers struct {
	*uix.UI
	streams atomic.Int64 // open event streams
}

// New returns Handlers.
func New(ui *uix.UI) *Handlers { return &Handlers{UI: ui} }

// Routes returns this package's pages and forms.
func (h *Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Root, h.showOverview),
		httpx.Get(paths.Events, h.events),
		httpx.Get(paths.Stats, h.showStats),
		httpx.Get(paths.Inbox, h.showInbox),
		httpx.Get(paths.InboxCount, h.countInbox),
		httpx.Get(paths.Sandbox, h.showSandbox),
		httpx.Post(paths.SandboxProve, h.proveSandbox),
		httpx.Get(paths.Search, h.search),
		httpx.Get(paths.Root+"/", httpx.Redirect(paths.Root)),
	}
}
