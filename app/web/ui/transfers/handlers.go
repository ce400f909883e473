package transfers

import (
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the pages that move everything.
type Handlers struct {
	*uix.UI
	Key instance.KeyInfo
}

// Routes returns this package's pages and forms.
func (h Handlers) Routes() []httpx.Route {
	list := []httpx.Route{
		httpx.Get(paths.SettingsMove, h.showMove),
		uix.Post(paths.SettingsExport, h.export),
		httpx.Post(paths.SettingsImport, h.upload),
		httpx.Post(paths.SettingsRetire, h.retire),
		httpx.Post(paths.SettingsUnretire, h.unretire),
		httpx.Get(paths.RestorePointPath, h.askDeletePoint),
		uix.Post(paths.RestorePointPath, h.deletePoint),
		httpx.Get(paths.TransferPath, h.showJob),
		httpx.Post(paths.TransferDownload, h.downloadExport),
		uix.Post(paths.TransferImport, h.importPlan),
		httpx.Get(paths.SettingsBackups, h.showBackups),
		uix.Post(paths.SettingsBackups, h.saveBackups),
		httpx.Post(paths.SettingsBackupNow, h.backUpNow),
	}
	for i := range list {
		list[i].Handle = h.RequireFresh(list[i].Handle)
	}
	return list
}
