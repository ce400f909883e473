package audit

import (
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the page of the audit log.
type Handlers struct{ *uix.UI }

// Routes returns this package's pages and forms.
func (h Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Audit, h.showAudit),
		httpx.Get(paths.AuditExport, h.exportAudit),
		httpx.Post(paths.AuditVerify, h.verifyAudit),
	}
}
