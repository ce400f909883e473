package executions

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/executionview"
)

// files lists an execution's files and artifacts with links.
func (h Handlers) files(ctx context.Context, handle string) (f executionview.Files, err error) {
	if f.Inputs, err = h.Engine.Reader.InputFiles(ctx, handle); err != nil {
		return f, err
	}
	list, err := h.Engine.Reader.Artifacts(ctx, app.Execution{Handle: handle})
	for _, a := range list {
		shown := executionview.Artifact{Artifact: a}
		if a.Kept {
			shown.URL = h.Engine.Files.Link(handle, a.Name)
		}
		f.Artifacts = append(f.Artifacts, shown)
	}
	return f, err
}
