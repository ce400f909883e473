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

// Routes returns this package's pages and forms.
func (h Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		h.show(paths.Settings),
		h.show(paths.SettingsPeople),
		h.show(paths.SettingsInstance),
		h.show(paths.SettingsData),
		uix.Post(paths.SettingsTheme, h.setTheme),
		uix.Post(paths.SettingsKeys, h.setKeys),
		uix.Post(paths.SettingsPassword, h.changePassword),
		httpx.Get(paths.PasskeyNew, h.RequireFresh(h.showNewPasskey)),
		httpx.Get(paths.PasskeyNewOptions, h.RequireFresh(h.newPasskeyOptions)),
		httpx.Post(paths.SettingsPasskeys, h.RequireFresh(uix.SmallForm(uix.WithForm(h.addPasskey)))),
		httpx.Post(paths.PasskeyRename, h.RequireFresh(uix.SmallForm(uix.WithForm(h.renamePasskey)))),
		httpx.Post(paths.PasskeyRemove, h.RequireFresh(h.removePasskey)),
		httpx.Post(paths.SettingsSession, h.endSession),
		uix.Post(paths.SettingsSessions, h.endSessions),
		httpx.Post(paths.SettingsInvite, h.RequireFresh(uix.WithForm(h.invite))),
		httpx.Post(paths.SettingsUninvite, h.uninvite),
		httpx.Post(paths.SettingsRole, h.RequireFresh(uix.WithForm(h.changeRole))),
		httpx.Get(paths.SettingsPerson, h.RequireFresh(h.askRemovePerson)),
		httpx.Post(paths.SettingsPerson, h.RequireFresh(uix.WithForm(h.removePerson))),
		httpx.Post(paths.SettingsPause, h.pauseExecutions),
		httpx.Post(paths.SettingsResume, h.resumeExecutions),
	}
}
