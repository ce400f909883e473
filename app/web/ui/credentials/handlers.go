package credentials

import (
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/probe"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the pages about credentials.
type Handlers struct {
	*uix.UI
	access    *access.Parts
	prober    *probe.Prober
	retention *retention.Keeper // nil: nothing is removed
	tests     *httpx.RateLimiter
	staged    staging // pasted values that nobody decided about yet
}

// New returns Handlers.
func New(ui *uix.UI, access *access.Parts, prober *probe.Prober, keeper *retention.Keeper) *Handlers {
	return &Handlers{
		UI: ui, access: access, prober: prober, retention: keeper,
		tests: httpx.NewRateLimiter(TestsPerMinute, ui.Now),
	}
}

// Routes are the pages and forms of this package.
func (h *Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Credentials, h.showCredentials),
		httpx.Get(paths.CredentialNew, h.showNewCredential),
		httpx.Post(paths.CredentialNew, h.createCredential),
		httpx.Get(paths.CredentialPaste, h.showPaste),
		httpx.Post(paths.CredentialPaste, h.paste),
		httpx.Get(paths.CredentialPreview, h.showPreview),
		httpx.Post(paths.CredentialPreview, h.applyPaste),
		httpx.Get(paths.CredentialPath, h.showCredential),
		httpx.Post(paths.CredentialPath, h.changeCredential),
		httpx.Get(paths.CredentialDelete, h.askDeleteCredential),
		httpx.Post(paths.CredentialDelete, h.deleteCredential),
		httpx.Post(paths.CredentialTest, h.testCredential).Back(h.backToCredential),
	}
}
