package settings

import (
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the settings.
type Handlers struct {
	*uix.UI
	access    *access.Parts
	engine    *engine.Engine
	retention *retention.Keeper // nil: nothing is removed
	rules     *patterns.Set
}

// New returns Handlers.
func New(
	ui *uix.UI, access *access.Parts, engine *engine.Engine, keeper *retention.Keeper, rules *patterns.Set,
) *Handlers {
	return &Handlers{UI: ui, access: access, engine: engine, retention: keeper, rules: rules}
}

// Routes are the pages and forms of this package.
func (h *Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Settings, h.showSettings),
		httpx.Post(paths.SettingsTheme, h.setTheme).Back(h.backToSettings),
		httpx.Post(paths.SettingsKeys, h.setKeys).Back(h.backToSettings),
		httpx.Post(paths.SettingsPassword, h.changePassword).Back(h.backToSettings),
		httpx.Post(paths.SettingsSession, h.endSession).Back(h.backToSettings),
		httpx.Post(paths.SettingsSessions, h.endSessions).Back(h.backToSettings),
		httpx.Post(paths.SettingsInvite, h.RequireFresh(h.invite)).Back(h.backToSettings),
		httpx.Post(paths.SettingsUninvite, h.uninvite).Back(h.backToSettings),
		httpx.Get(paths.SettingsPerson, h.RequireFresh(h.askRemovePerson)),
		httpx.Post(paths.SettingsPerson, h.RequireFresh(h.removePerson)),
		httpx.Post(paths.SettingsPause, h.pauseExecutions).Back(h.backToSettings),
		httpx.Post(paths.SettingsResume, h.resumeExecutions).Back(h.backToSettings),
	}
}
