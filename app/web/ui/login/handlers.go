package login

import (
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the login.
type Handlers struct {
	*uix.UI
	access     *access.Parts
	tokenPlace string // where the admin token is found; "" for what is true everywhere
}

// New returns Handlers.
func New(ui *uix.UI, access *access.Parts, tokenPlace string) *Handlers {
	return &Handlers{UI: ui, access: access, tokenPlace: tokenPlace}
}

// PublicRoutes are for people who are not logged in.
func (h *Handlers) PublicRoutes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Login, h.showLogin),
		httpx.Post(paths.Login, uix.SmallForm(h.login)),
		httpx.Get(paths.Token, h.showToken),
		httpx.Get(paths.Welcome, h.showWelcome),
		httpx.Post(paths.Welcome, uix.SmallForm(h.join)),
		httpx.Post(paths.Logout, h.logout),
	}
}

// Routes are for people with a session.
func (h *Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Post(paths.Confirm, h.confirmPassword),
		httpx.Get(paths.Confirm, h.showFresh),
	}
}
