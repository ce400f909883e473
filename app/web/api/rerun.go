package api

import (
	"context"
	"encoding/json"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appexecutions "github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/httpx"
)

// rerunView compares a re-run with its original.
type rerunView struct {
	Of         string   `json:"of,omitempty" about:"the execution it repeats"`
	SameResult *bool    `json:"same_result" about:"null until both ended"`
	Differs    []string `json:"differs" about:"fields of the manifest"`
}

// circumstancesView holds facts that must not affect a result.
type circumstancesView struct {
	Backend   string `json:"backend"`
	Isolation string `json:"isolation"`
	Warm      bool   `json:"warm"`
}

// manifestView holds a run's identity and its result's hash.
type manifestView struct {
	app.Manifest
	Circumstances circumstancesView `json:"circumstances"`
}

func viewManifest(x app.Execution) *manifestView {
	return &manifestView{x.Manifest, circumstancesView{x.Backend, x.Isolation, x.Warm}}
}

// rerunInput holds what a re-run may change.
type rerunInput struct {
	Live    bool              `in:"live"`
	Inputs  json.RawMessage   `in:"inputs"`
	Timeout *float64          `in:"timeout"`
	Label   string            `in:"label"`
	Files   map[string]string `in:"files"`
}

// rerun answers POST /executions/{id}/rerun as POST /execute does.
func (h *Handlers) rerun(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	x, err := h.executionOf(c)
	if err != nil {
		return err
	}
	var in rerunInput
	if err := httpx.ReadOptionalJSON(c, &in); err != nil {
		return err
	}
	again, err := h.Engine.Submitter.Rerun(c.Request().Context(), x.Handle, appexecutions.Again{
		Inputs: in.Inputs, Files: in.Files, Timeout: in.Timeout, Label: in.Label, Live: in.Live,
		By: agent(c, x.ProfileHandle), Trace: httpx.TraceID(c),
	})
	if err != nil {
		return err
	}
	return h.answerAccepted(c, again, wait)
}

// viewRerun compares a re-run with its original. For other executions it returns nil.
func (h *Handlers) viewRerun(ctx context.Context, x app.Execution) (*rerunView, error) {
	if x.RerunOf == "" {
		return nil, nil
	}
	c, err := h.Engine.Reader.Compare(ctx, x)
	if err != nil {
		return nil, err
	}
	return &rerunView{Of: c.Original.ID, SameResult: c.SameResult, Differs: append([]string{}, c.Differs...)}, nil
}
