package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/store"
)

// Version is the version of the unprefixed agent paths.
const Version = 1

type healthView struct {
	Status     string      `json:"status"` // "ok" whenever the server serves
	Version    string      `json:"version"`
	APIVersion int         `json:"api_version"`
	Backend    string      `json:"backend,omitempty"`
	Isolation  string      `json:"isolation,omitempty"`
	Sandbox    sandboxView `json:"sandbox"`
	Retired    bool        `json:"retired" about:"the instance moved to another address and runs nothing any more"`
	Paused     bool        `json:"paused" about:"a person has paused all executions: what is submitted waits"`
	Full       bool        `json:"full" about:"the disk is full: nothing new is taken until there is room"`
}

type sandboxView struct {
	Ready    bool   `json:"ready"`
	Checking bool   `json:"checking,omitempty" about:"it has just started; what is submitted waits"`
	Reason   string `json:"reason,omitempty"`
}

// Reasons for agents that no sandbox is ready. The engine's own reason describes the host and is
// for people only.
const (
	reasonChecking = "the sandbox is being checked, which takes a moment; " +
		"what is submitted meanwhile waits in the queue"
	reasonStopping = "Airlock is being stopped and takes nothing new; " +
		"what waits in the queue runs after its next start"
	reasonNotReady = "no sandbox is ready; the Sandbox page of the UI and airlock doctor on the host say why"
)

// health answers GET /health. Without a sandbox it reports healthy: people need the pages to see
// why.
func (h *Handlers) health(c echo.Context) error {
	state := h.Engine.Health()
	view := healthView{
		Status: "ok", Version: h.Version, APIVersion: Version, Backend: state.Backend, Isolation: state.Tier,
		Sandbox: sandboxView{Ready: state.Ready, Checking: state.Checking},
	}
	switch {
	case state.Stopping:
		view.Sandbox.Reason = reasonStopping
	case state.Checking:
		view.Sandbox.Reason = reasonChecking
	case !state.Ready:
		view.Sandbox.Reason = reasonNotReady
	}
	ctx, cancel := context.WithTimeout(store.Urgent(context.Background()), time.Second)
	defer cancel()
	paused, err := h.Access.Switches.ReadPause(ctx)
	h.logFailed("the switch that pauses executions could not be read", err)
	retired, err := h.Access.Switches.ReadRetirement(ctx)
	h.logFailed("whether the instance is retired could not be read", err)
	room, err := h.Engine.Statistics.FreeSpace(ctx)
	if ctx.Err() == nil {
		h.logFailed("the free space of the disk could not be read", err)
	}
	view.Paused, view.Retired, view.Full = paused.On(), retired.On(), room.Full
	return c.JSON(http.StatusOK, view)
}

// logFailed logs what GET /health could not read.
func (h *Handlers) logFailed(message string, err error) {
	if err != nil {
		h.Log.Error(message, "error", err) //nolint:sloglint // the callers' messages are constant
	}
}

// manual answers GET /skill.md: how to use this instance. With a bearer, it lists the profile's
// keys and hosts.
func (h *Handlers) manual(c echo.Context) error {
	var own *app.Profile
	token, err := bearerID(c)
	if err != nil {
		return err
	}
	if token != "" {
		p, err := h.bearer(c)
		if err != nil {
			return err
		}
		own = &p
	}
	skills, err := h.runnable(c, own)
	if err != nil {
		return err
	}
	state := h.Engine.Health()
	text, err := apidocs.Dynamic(apidocs.Instance{
		URL: h.Origins.BaseURL(c.Request()), Version: h.Version, Backend: state.Backend, Tier: state.Tier, Notes: state.Notes,
		Ready: state.Ready, Checking: state.Checking, Packages: h.importable(), Limits: h.Engine.Limits,
		Timeouts: h.Engine.Timeouts,
		Workers:  state.Workers, KeptDays: h.Retention.Days, KeptCount: h.Retention.Count,
		Skills: skills,
	}, own, h.Now())
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, "text/markdown; charset=utf-8", []byte(text))
}

// runnable returns the names of a profile's runnable skills.
func (h *Handlers) runnable(c echo.Context, p *app.Profile) (names []string, err error) {
	if p == nil {
		return nil, nil
	}
	list, err := h.Engine.Skills.ListKnown(c.Request().Context(), p.Handle)
	for _, v := range list {
		if v.Runs {
			names = append(names, v.Name)
		}
	}
	return names, err
}

// stubs answers GET /airlock.pyi: type stubs of the script SDK.
func (h *Handlers) stubs(c echo.Context) error {
	return c.Blob(http.StatusOK, "text/x-python; charset=utf-8", guest.Stub())
}
