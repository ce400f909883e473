package executions

import (
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the pages about executions.
type Handlers struct{ *uix.UI }

// Routes are the pages and forms of this package.
func (h Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Executions, h.showExecutions),
		httpx.Get(paths.ExecutionsExport, h.exportExecutions),
		httpx.Get(paths.ExecutionPath, h.showExecution),
		httpx.Post(paths.ExecutionCancel, h.cancelByPerson).Back(h.backToExecution),
		httpx.Post(paths.ExecutionRerun, h.rerunByPerson).Back(h.backToExecution),
		httpx.Get(paths.ExecutionCompare, h.compareExecutions),
		httpx.Get(paths.ExecutionPrint, h.printExecution),
		httpx.Get(paths.ExecutionImage, h.showImage),
		uix.Post(paths.ExecutionRespond, h.answerByPerson).Back(h.backToExecution),
	}
}
