package api

import (
	"crypto/subtle"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
)

// agentCall is a call in the name of a profile.
type agentCall func(c echo.Context, p app.Profile) error

// usable serves a call of profiles that have not ended. query names its parameters.
func (h *Handlers) usable(call agentCall, query ...string) echo.HandlerFunc {
	return h.admit(app.Profile.CanUse, call, query)
}

// serveExecuting serves a call of profiles that may execute. query names its parameters.
func (h *Handlers) serveExecuting(call agentCall, query ...string) echo.HandlerFunc {
	return h.admit(app.Profile.CanExecute, call, query)
}

func (h *Handlers) admit(check func(app.Profile, time.Time) error, call agentCall, query []string) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := httpx.KnownQuery(c, query...); err != nil {
			return err
		}
		p, err := h.bearer(c)
		if err != nil {
			return err
		}
		if err := check(p, h.Now()); err != nil {
			return err
		}
		return call(c, p)
	}
}

// bearer returns the bearer's profile. An unknown bearer is unauthorized.
func (h *Handlers) bearer(c echo.Context) (app.Profile, error) {
	id, err := bearerID(c)
	if err != nil {
		return app.Profile{}, err
	}
	if id == "" {
		return app.Profile{}, app.E(app.CodeUnauthorized, "this call needs to know the profile", bearerHint)
	}
	p, err := h.profileByID(c, id)
	if app.CodeOf(err) == app.CodeNotFound {
		return p, app.ErrUnknownProfile()
	}
	return p, err
}

// profileOf returns the profile in the path: an id, or "self" for the bearer's.
func (h *Handlers) profileOf(c echo.Context) (app.Profile, error) {
	id := c.Param("id")
	if id == self {
		return h.bearer(c)
	}
	token, err := bearerID(c)
	if err != nil {
		return app.Profile{}, err
	}
	if token != "" && !sameToken(token, id) {
		return app.Profile{}, errTwoProfiles()
	}
	return h.profileByID(c, id)
}

func (h *Handlers) profileByID(c echo.Context, id string) (app.Profile, error) {
	if !app.IsProfileID(id) {
		return app.Profile{}, errNoProfile()
	}
	p, err := h.Access.Profiles.ByID(c.Request().Context(), id)
	if app.CodeOf(err) == app.CodeNotFound {
		return p, errNoProfile()
	}
	if err == nil {
		httpx.LogProfile(c, p.Handle)
	}
	return p, err
}

// executionOf returns the execution in the path; its id is enough. A bearer, if sent, must own it.
func (h *Handlers) executionOf(c echo.Context) (app.Execution, error) {
	token, err := bearerID(c)
	if err != nil {
		return app.Execution{}, err
	}
	id := c.Param("id")
	if !app.IsExecutionID(id) {
		return app.Execution{}, errNoExecution()
	}
	x, err := h.Engine.Reader.ByID(c.Request().Context(), id)
	if app.CodeOf(err) == app.CodeNotFound {
		return x, errNoExecution()
	}
	if err != nil {
		return x, err
	}
	if token != "" {
		if p, err := h.profileByID(c, token); err != nil || p.Handle != x.ProfileHandle {
			return app.Execution{}, errNoExecution()
		}
	}
	httpx.LogExecution(c, x.Handle)
	return x, nil
}

// bearerID returns the profile id of the Authorization header, or "".
func bearerID(c echo.Context) (string, error) {
	value := c.Request().Header.Get("Authorization")
	if value == "" {
		return "", nil
	}
	scheme, token, _ := strings.Cut(value, " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || !app.IsProfileID(token) {
		return "", app.E(app.CodeUnauthorized, "the Authorization header is not a profile id", bearerHint)
	}
	return token, nil
}

const bearerHint = "Send Authorization: Bearer ark_…, the profile_id that POST /profiles returned."

// sameToken compares tokens in constant time.
func sameToken(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func errTwoProfiles() error {
	return httpx.FieldError(app.CodeInvalidField, "profile_id",
		"the request names one profile and its Authorization header another", "Name the profile once.")
}

func errNoProfile() error {
	return app.E(app.CodeNotFound, "there is no such profile",
		"A profile id is what POST /profiles returned as profile_id; it begins with ark_. "+
			"A profile that no person attends to is removed after some days; create another then.")
}

func errNoExecution() error {
	return app.E(app.CodeNotFound, "there is no such execution",
		"An execution id is what POST /execute returned as execution_id; it begins with exec_. "+
			"GET /executions lists yours. Executions are removed when they are older, or more, than this Airlock keeps.")
}

// agent returns the actor of a profile's requests.
func agent(c echo.Context, profileHandle string) app.Actor {
	return app.Actor{Kind: app.ActorAgent, Name: profileHandle, Address: c.RealIP()}
}
