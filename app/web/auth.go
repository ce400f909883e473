package web

import (
	"crypto/subtle"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
)

// bearer returns the profile id in the Authorization header, or "" if there is no such header.
func bearer(c echo.Context) (string, error) {
	value := c.Request().Header.Get("Authorization")
	if value == "" {
		return "", nil
	}
	scheme, token, _ := strings.Cut(value, " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || !app.IsProfileID(token) {
		return "", app.E(app.CodeUnauthorized, "the Authorization header is not a profile id", "Send Authorization: Bearer ark_…, the profile_id that POST /profiles returned.")
	}
	return token, nil
}

// errNoBearer asks for one.
func errNoBearer() error {
	return app.E(app.CodeUnauthorized, "this call needs to know the profile", "Send Authorization: Bearer ark_…, the profile_id that POST /profiles returned.")
}

// errTwoProfiles is for a request that names two.
func errTwoProfiles() error {
	return httpx.FieldError(app.CodeInvalidField, "profile_id", "the request names one profile and its Authorization header another", "Name the profile once.")
}

// bearerProfile is the profile that the bearer names. A bearer that no profile has is unauthorized.
func (s *Server) bearerProfile(c echo.Context) (app.Profile, error) {
	id, err := bearer(c)
	if err != nil {
		return app.Profile{}, err
	}
	if id == "" {
		return app.Profile{}, errNoBearer()
	}
	p, err := s.profileByID(c, id)
	if app.CodeOf(err) == app.CodeNotFound {
		return p, errUnknownProfile()
	}
	return p, err
}

func errUnknownProfile() error {
	return app.E(app.CodeUnauthorized, "no profile has this id", "Check the ark_ id, or create a profile with POST /profiles.")
}

// pathProfile is the profile that the path names: an id, which is the token itself, or "self" for the bearer's.
func (s *Server) pathProfile(c echo.Context) (app.Profile, error) {
	id := c.Param("id")
	if id == "self" {
		return s.bearerProfile(c)
	}
	token, err := bearer(c)
	if err != nil {
		return app.Profile{}, err
	}
	if token != "" && !same(token, id) {
		return app.Profile{}, errTwoProfiles()
	}
	return s.profileByID(c, id)
}

func (s *Server) profileByID(c echo.Context, id string) (app.Profile, error) {
	if !app.IsProfileID(id) {
		return app.Profile{}, errNoProfile()
	}
	p, err := s.cfg.Access.Profile(c.Request().Context(), id)
	if app.CodeOf(err) == app.CodeNotFound {
		return p, errNoProfile()
	}
	if err == nil {
		httpx.LogProfile(c, p.Handle)
	}
	return p, err
}

func errNoProfile() error {
	return app.E(app.CodeNotFound, "there is no such profile", "A profile id is what POST /profiles returned as profile_id; it begins with ark_. A profile that no person attends to is removed after some days; create another then.")
}

// pathExecution is the execution that the path names; its id is enough. A bearer that is sent too must be the owner.
func (s *Server) pathExecution(c echo.Context) (app.Execution, error) {
	token, err := bearer(c)
	if err != nil {
		return app.Execution{}, err
	}
	id := c.Param("id")
	if !app.IsExecutionID(id) {
		return app.Execution{}, errNoExecution()
	}
	x, err := s.cfg.Engine.Execution(c.Request().Context(), id)
	if app.CodeOf(err) == app.CodeNotFound {
		return x, errNoExecution()
	}
	if err != nil {
		return x, err
	}
	if token != "" {
		if p, err := s.profileByID(c, token); err != nil || p.Handle != x.ProfileHandle {
			return app.Execution{}, errNoExecution()
		}
	}
	httpx.LogExecution(c, x.Handle)
	return x, nil
}

func errNoExecution() error {
	return app.E(app.CodeNotFound, "there is no such execution", "An execution id is what POST /execute returned as execution_id; it begins with exec_. Executions are removed when they are older, or more, than this Airlock keeps.")
}

// same compares tokens in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// agent is the actor of requests under a profile.
func agent(c echo.Context, p app.Profile) app.Actor {
	return app.Actor{Kind: app.ActorAgent, Name: p.Handle, Address: c.RealIP()}
}
