package transfers

import (
	"log/slog"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Config is what Handlers need.
type Config struct {
	Access   *access.Parts
	Engine   *engine.Engine
	Transfer *transfer.Service
	Log      *slog.Logger
	Key      func() KeyInfo
}

// Handlers answer the pages that move everything.
type Handlers struct {
	*uix.UI
	access   *access.Parts
	engine   *engine.Engine
	transfer *transfer.Service
	log      *slog.Logger
	key      func() KeyInfo
}

// New returns Handlers.
func New(ui *uix.UI, cfg Config) *Handlers {
	return &Handlers{UI: ui, access: cfg.Access, engine: cfg.Engine, transfer: cfg.Transfer, log: cfg.Log, key: cfg.Key}
}

// Routes are the pages and forms of this package.
func (h *Handlers) Routes() []httpx.Route {
	back := httpx.Redirect(paths.SettingsMove)
	list := []httpx.Route{
		httpx.Get(paths.SettingsMove, h.showMove),
		httpx.Post(paths.SettingsExport, h.export).Back(back),
		httpx.Post(paths.SettingsImport, h.upload).Back(back),
		httpx.Post(paths.SettingsRetire, h.retire).Back(back),
		httpx.Post(paths.SettingsUnretire, h.unretire).Back(back),
		httpx.Get(paths.RestorePointPath, h.askDeletePoint),
		httpx.Post(paths.RestorePointPath, h.deletePoint),
		httpx.Get(paths.TransferPath, h.showJob),
		httpx.Post(paths.TransferDownload, h.downloadExport).Back(back),
		httpx.Post(paths.TransferImport, h.importPlan).Back(back),
		httpx.Get(paths.SettingsBackups, h.showBackups),
		httpx.Post(paths.SettingsBackups, h.saveBackups),
		httpx.Post(paths.SettingsBackupNow, h.backUpNow).Back(httpx.Redirect(paths.SettingsBackups)),
	}
	for i := range list {
		list[i].Handle = h.RequireFresh(list[i].Handle)
	}
	return list
}
