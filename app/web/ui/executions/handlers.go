package executions

import (
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the pages about executions.
type Handlers struct{ *uix.UI }

// Routes returns this package's pages and forms.
func (h Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Executions, h.showExecutions),
		httpx.Get(paths.ExecutionsExport, h.exportExecutions),
		httpx.Get(paths.ExecutionPath, h.showExecution),
		httpx.Post(paths.ExecutionCancel, h.cancelByPerson),
		httpx.Post(paths.ExecutionRerun, h.rerunByPerson),
		httpx.Get(paths.ExecutionCompare, h.compareExecutions),
		httpx.Get(paths.ExecutionImage, h.showImage),
		httpx.Get(paths.Approvals, h.listApprovals),
		httpx.Get(paths.ApprovalPath, h.showApproval),
		uix.Post(paths.ApprovalApprove, h.approve),
		uix.Post(paths.ApprovalRefuse, h.refuse),
		uix.Post(paths.ApprovalRevoke, h.revoke),
		uix.Post(paths.ExecutionRespond, h.answerByPerson),
	}
}
