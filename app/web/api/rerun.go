package api

import (
	"context"
	"encoding/json"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appexecutions "github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/httpx"
)

// rerunView compares a re-run with the execution that it repeats.
type rerunView struct {
	Of         string   `json:"of,omitempty"` // its id; absent if it is not kept any more
	SameResult *bool    `json:"same_result"`  // null until both have ended
	Differs    []string `json:"differs"`      // fields of the manifest
}

// circumstancesView is what a result must not depend on.
type circumstancesView struct {
	Backend   string `json:"backend"`
	Isolation string `json:"isolation"`
	Warm      bool   `json:"warm"`
}

// manifestView is the identity of a run and the hash of its result, apart from its circumstances.
type manifestView struct {
	app.Manifest
	Circumstances circumstancesView `json:"circumstances"`
}

func viewManifest(x app.Execution) *manifestView {
	return &manifestView{x.Manifest, circumstancesView{x.Backend, x.Isolation, x.Warm}}
}

// rerunInput is what may differ from the first time.
type rerunInput struct {
	Live    bool              `in:"live"`
	Inputs  json.RawMessage   `in:"inputs"`
	Timeout *float64          `in:"timeout"`
	Label   string            `in:"label"`
	Files   map[string]string `in:"files"`
}

// rerun answers POST /executions/{id}/rerun as POST /execute does.
func (h *executions) rerun(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	x, err := h.lookup.execution(c)
	if err != nil {
		return err
	}
	var in rerunInput
	if err := httpx.ReadOptionalJSON(c, &in); err != nil {
		return err
	}
	again, err := h.engine.Submitter.Rerun(c.Request().Context(), x.Handle, appexecutions.Again{
		Inputs: in.Inputs, Files: in.Files, Timeout: in.Timeout, Label: in.Label, Live: in.Live,
		By: agent(c, x.ProfileHandle), Trace: httpx.TraceID(c),
	})
	if err != nil {
		return err
	}
	return h.answerAccepted(c, again, wait)
}

// viewRerun compares a re-run with its original. It returns nil for an execution that is no re-run.
func (h *executions) viewRerun(ctx context.Context, x app.Execution) (*rerunView, error) {
	if x.RerunOf == "" {
		return nil, nil
	}
	c, err := h.engine.Reader.Compare(ctx, x)
	if err != nil {
		return nil, err
	}
	return &rerunView{Of: c.Original.ID, SameResult: c.SameResult, Differs: append([]string{}, c.Differs...)}, nil
}
