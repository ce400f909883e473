package settings

import (
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the settings.
type Handlers struct {
	*uix.UI
	Retention *retention.Keeper // nil: nothing is removed
	Rules     *patterns.Set     // of redaction
}

// Routes are the pages and forms of this package.
func (h Handlers) Routes() []httpx.Route {
	back := httpx.Redirect(paths.Settings)
	return []httpx.Route{
		httpx.Get(paths.Settings, h.showSettings),
		uix.Post(paths.SettingsTheme, h.setTheme).Back(back),
		uix.Post(paths.SettingsKeys, h.setKeys).Back(back),
		uix.Post(paths.SettingsPassword, h.changePassword).Back(back),
		httpx.Post(paths.SettingsSession, h.endSession).Back(back),
		uix.Post(paths.SettingsSessions, h.endSessions).Back(back),
		httpx.Post(paths.SettingsInvite, h.RequireFresh(h.invite)).Back(back),
		httpx.Post(paths.SettingsUninvite, h.uninvite).Back(back),
		httpx.Get(paths.SettingsPerson, h.RequireFresh(h.askRemovePerson)),
		httpx.Post(paths.SettingsPerson, h.RequireFresh(uix.WithForm(h.removePerson))),
		httpx.Post(paths.SettingsPause, h.pauseExecutions).Back(back),
		httpx.Post(paths.SettingsResume, h.resumeExecutions).Back(back),
	}
}
