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
	back, people := httpx.Redirect(paths.Settings), httpx.Redirect(paths.SettingsPeople)
	return []httpx.Route{
		h.show(paths.Settings),
		h.show(paths.SettingsPeople),
		h.show(paths.SettingsInstance),
		h.show(paths.SettingsData),
		uix.Post(paths.SettingsTheme, h.setTheme).Back(back),
		uix.Post(paths.SettingsKeys, h.setKeys).Back(back),
		uix.Post(paths.SettingsPassword, h.changePassword).Back(back),
		httpx.Get(paths.PasskeyNew, h.RequireFresh(h.showNewPasskey)),
		httpx.Get(paths.PasskeyNewOptions, h.RequireFresh(h.newPasskeyOptions)),
		httpx.Post(paths.SettingsPasskeys, h.RequireFresh(uix.SmallForm(uix.WithForm(h.addPasskey)))).Back(back),
		httpx.Post(paths.PasskeyRename, h.RequireFresh(uix.SmallForm(uix.WithForm(h.renamePasskey)))).Back(back),
		httpx.Post(paths.PasskeyRemove, h.RequireFresh(h.removePasskey)).Back(back),
		httpx.Post(paths.SettingsSession, h.endSession).Back(back),
		uix.Post(paths.SettingsSessions, h.endSessions).Back(back),
		httpx.Post(paths.SettingsInvite, h.RequireFresh(uix.WithForm(h.invite))).Back(people),
		httpx.Post(paths.SettingsUninvite, h.uninvite).Back(people),
		httpx.Post(paths.SettingsRole, h.RequireFresh(uix.WithForm(h.changeRole))).Back(people),
		httpx.Get(paths.SettingsPerson, h.RequireFresh(h.askRemovePerson)),
		httpx.Post(paths.SettingsPerson, h.RequireFresh(uix.WithForm(h.removePerson))),
		httpx.Post(paths.SettingsPause, h.pauseExecutions).Back(httpx.Redirect(paths.SettingsInstance)),
		httpx.Post(paths.SettingsResume, h.resumeExecutions).Back(back),
	}
}
