package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/paths"
)

// rerunView says how a re-run stands beside the execution it repeats.
type rerunView struct {
	Of         string   `json:"of,omitempty"` // its id; absent if it is not kept any more
	SameResult *bool    `json:"same_result"`  // null until both have run to an end
	Differs    []string `json:"differs"`      // fields of the manifest
}

// circumstancesView is what a manifest must not depend on.
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

// rerun answers POST /executions/{id}/rerun as POST /execute does.
func (s *Server) rerun(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	x, err := s.pathExecution(c)
	if err != nil {
		return err
	}
	var in struct {
		Live bool `in:"live"`
	}
	if err := httpx.ReadOptionalJSON(c, &in); err != nil {
		return err
	}
	by := app.Actor{Kind: app.ActorAgent, Name: x.ProfileHandle, Address: c.RealIP()}
	again, err := s.cfg.Engine.Rerun(c.Request().Context(), x.Handle, in.Live, by, httpx.TraceID(c))
	if err != nil {
		return err
	}
	httpx.LogExecution(c, again.Handle)
	httpx.LogProfile(c, again.ProfileHandle)
	return s.answerAccepted(c, again, wait)
}

// compared is how a re-run stands, or nil for what is none.
func (s *Server) compared(ctx context.Context, x app.Execution) (*rerunView, error) {
	if x.RerunOf == "" {
		return nil, nil
	}
	c, err := s.cfg.Engine.Compare(ctx, x)
	if err != nil {
		return nil, err
	}
	return &rerunView{Of: c.Original.ID, SameResult: c.SameResult, Differs: append([]string{}, c.Differs...)}, nil
}

// rerunByPerson runs an execution again and leads to the new one.
func (s *Server) rerunByPerson(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	again, err := s.cfg.Engine.Rerun(c.Request().Context(), c.Param("handle"), fields.Get("live") == "on", actorOf(c), httpx.TraceID(c))
	if err != nil {
		return err
	}
	httpx.LogExecution(c, again.Handle)
	if err := s.cfg.Access.Note(c.Request().Context(), actorOf(c), "execution.rerun", again.Handle, "Submitted "+c.Param("handle")+" again."); err != nil {
		return err
	}
	return s.done(c, "rerun", paths.ExecutionURL(again.Handle))
}

// repeatOf is what the page of a re-run says about its original.
func repeatOf(c engine.Comparison) *executionview.Repeat {
	return &executionview.Repeat{Handle: c.Original.Handle, Gone: c.Gone, SameResult: c.SameResult, Differs: c.Differs}
}

func (s *Server) acceptedPlace(c echo.Context, x app.Execution) error {
	poll := s.origins.BaseURL(c.Request()) + "/executions/" + x.ID
	c.Response().Header().Set("Location", poll)
	return c.JSON(http.StatusAccepted, acceptedView{x.ID, poll, x.Status})
}
