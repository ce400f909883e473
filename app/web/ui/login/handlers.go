package login

import (
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the login.
type Handlers struct {
	*uix.UI
	TokenPlace string // where this platform shows the admin token; "" if unknown
}

// PublicRoutes returns the routes without a session.
func (h Handlers) PublicRoutes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Login, h.showLogin),
		httpx.Post(paths.Login, uix.SmallForm(uix.WithForm(h.login))),
		httpx.Get(paths.PasskeyOptions, h.passkeyOptions),
		httpx.Post(paths.PasskeyLogin, uix.SmallForm(uix.WithForm(h.loginWithPasskey))),
		httpx.Get(paths.PasskeyLogin, httpx.Redirect(paths.Login)), // somebody reloads a refusal
		httpx.Get(paths.Token, h.showToken),
		httpx.Get(paths.Welcome, h.showWelcome),
		httpx.Post(paths.Welcome, uix.SmallForm(uix.WithForm(h.join))),
		httpx.Post(paths.Logout, h.logout),
	}
}

// Routes are for people with a session.
func (h Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		uix.Post(paths.Confirm, h.confirmPassword),
		httpx.Get(paths.Confirm, h.showFresh),
		uix.Post(paths.PasskeyConfirm, h.confirmWithPasskey),
	}
}
