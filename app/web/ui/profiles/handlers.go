package profiles

import (
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the pages about profiles.
type Handlers struct {
	*uix.UI
	access *access.Parts
	engine *engine.Engine
}

// New returns Handlers.
func New(ui *uix.UI, access *access.Parts, engine *engine.Engine) *Handlers {
	return &Handlers{UI: ui, access: access, engine: engine}
}

// Routes are the pages and forms of this package.
func (h *Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Profiles, h.showProfiles),
		httpx.Get(paths.ProfileNew, h.showNewProfile),
		httpx.Post(paths.ProfileNew, h.createOwnProfile),
		httpx.Get(paths.ProfilePath, h.showProfile),
		httpx.Post(paths.ProfileSetup, h.setUpProfile).Back(h.backToProfile),
		httpx.Post(paths.ProfileHosts, h.changeHosts).Back(h.backToProfile),
		httpx.Get(paths.ProfileLock, h.showLock),
		httpx.Post(paths.ProfileLock, h.lockProfile),
		httpx.Post(paths.ProfileExpiry, h.changeExpiry).Back(h.backToProfile),
		httpx.Post(paths.ProfilePlace, h.placeProfile).Back(h.backToProfile),
		httpx.Post(paths.ProfileDescribe, h.describeProfile).Back(h.backToProfile),
		httpx.Get(paths.ProfileRevoke, h.askRevoke),
		httpx.Post(paths.ProfileRevoke, h.revokeProfile),
		httpx.Post(paths.ProfileRestore, h.restoreProfile).Back(h.backToProfile),
		httpx.Post(paths.ProfileCopy, h.duplicateProfile).Back(h.backToProfile),
		httpx.Get(paths.ProfileDelete, h.askDeleteProfile),
		httpx.Post(paths.ProfileDelete, h.deleteProfile),
	}
}
