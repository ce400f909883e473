package api

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/web/httpx"
)

// createProfile answers POST /profiles.
func (h *Handlers) createProfile(c echo.Context) error {
	var in struct {
		Description string `in:"description,required"`
	}
	if err := httpx.ReadJSON(c, &in); err != nil {
		return err
	}
	if err := app.CheckText("description", in.Description, app.MaxDescription); err != nil {
		return err
	}
	err := h.creation.Allow(c)
	if limited := (*app.Error)(nil); errors.As(err, &limited) {
		limited.Hint += " One profile serves any number of executions."
	}
	if err != nil {
		return err
	}
	p, err := h.Access.Profiles.Create(c.Request().Context(), agent(c, ""), in.Description)
	if err != nil {
		return err
	}
	httpx.LogProfile(c, p.Handle)
	c.Response().Header().Set("Location", h.Origins.BaseURL(c.Request())+"/profiles/"+p.ID)
	return h.answerProfile(c, http.StatusCreated, p)
}

// readProfile answers GET /profiles/{id}. With ?wait= it returns when the agent's view changes, or
// when no decision is open.
func (h *Handlers) readProfile(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	p, err := h.profileOf(c)
	if err != nil {
		return err
	}
	if wait > 0 {
		if p, err = h.awaitProfile(c, p, wait); err != nil {
			return err
		}
	}
	return h.answerProfile(c, http.StatusOK, p)
}

// awaitProfile returns the profile when the agent's view changes, or after atMost.
func (h *Handlers) awaitProfile(c echo.Context, p app.Profile, atMost time.Duration) (app.Profile, error) {
	name := p.Handle
	if !p.Locked {
		name = httpx.Strangers
	}
	if !h.Waits.Enter(name) {
		return p, httpx.ErrBusy
	}
	defer h.Waits.Leave(name)
	sub := h.Hub.Subscribe(live.Profile(p.Handle), live.Credentials)
	defer sub.Close()
	ctx, cancel := h.Drain.ContextWithTimeout(c.Request().Context(), atMost)
	defer cancel()
	first := viewProfile(p, "", h.Now())
	for {
		// Read after subscribing, to miss no change.
		current, err := h.Access.Profiles.ByID(c.Request().Context(), p.ID)
		if err != nil {
			return p, err
		}
		if !needsDecision(current, h.Now()) || !reflect.DeepEqual(first, viewProfile(current, "", h.Now())) {
			return current, nil
		}
		select {
		case <-sub.C():
			sub.Topics()
		case <-ctx.Done():
			return current, c.Request().Context().Err()
		}
	}
}

// needsDecision reports whether a person must lock the profile, allow a host or set a value.
func needsDecision(p app.Profile, now time.Time) bool {
	switch p.State(now) {
	case app.StateUnlocked:
		return true
	case app.StateLocked:
		return slices.ContainsFunc(p.Hosts, func(h app.HostRequest) bool { return !h.Allowed }) ||
			slices.ContainsFunc(p.Keys, func(k app.Key) bool { return !k.ValueExists })
	}
	return false
}

// serveChange serves a call that changes the profile in the path, and answers with the profile.
func (h *Handlers) serveChange(change func(c echo.Context, p app.Profile) (app.Profile, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		p, err := h.profileOf(c)
		if err != nil {
			return err
		}
		if err := h.changes.Allow(c); err != nil {
			return err
		}
		if p, err = change(c, p); err != nil {
			return err
		}
		return h.answerProfile(c, http.StatusOK, p)
	}
}

// addKeys answers POST /profiles/{id}/keys.
func (h *Handlers) addKeys(c echo.Context, p app.Profile) (app.Profile, error) {
	var in struct {
		Keys []keyInput `in:"keys,required"`
	}
	if err := httpx.ReadJSON(c, &in); err != nil {
		return p, err
	}
	keys, err := readKeys(in.Keys)
	if err != nil {
		return p, err
	}
	return h.Access.Keys.Add(c.Request().Context(), agent(c, p.Handle), p.Handle, keys)
}

// removeKey answers DELETE /profiles/{id}/keys/{name}.
func (h *Handlers) removeKey(c echo.Context, p app.Profile) (app.Profile, error) {
	return h.Access.Keys.Remove(c.Request().Context(), agent(c, p.Handle), p.Handle, c.Param("name"))
}

// proposeHosts answers POST /profiles/{id}/hosts. Only a person can grant a proposal.
func (h *Handlers) proposeHosts(c echo.Context, p app.Profile) (app.Profile, error) {
	var in struct {
		Hosts []hostInput `in:"hosts,required"`
	}
	if err := httpx.ReadJSON(c, &in); err != nil {
		return p, err
	}
	if len(in.Hosts) == 0 || len(in.Hosts) > app.MaxHosts {
		return p, httpx.FieldError(app.CodeInvalidField, "hosts",
			fmt.Sprintf("hosts must have 1 to %d items", app.MaxHosts),
			`Send {"hosts":[{"host":"api.example.com","reason":"why"}]}.`)
	}
	hosts, allowed := make([]app.Host, len(in.Hosts)), app.AllowedHosts(p.Hosts)
	for i, h := range in.Hosts {
		if err := cmp.Or(p.CheckReference(h.host), app.CheckAdded([]app.Host{h.host}, allowed)); err != nil {
			return p, httpx.AtField(fmt.Sprintf("hosts[%d].host", i), err)
		}
		hosts[i] = h.host
	}
	return h.Access.Hosts.Propose(c.Request().Context(), agent(c, p.Handle), p.Handle, hosts)
}

// withdrawHost answers DELETE /profiles/{id}/hosts/{host}, which retracts the agent's open request.
func (h *Handlers) withdrawHost(c echo.Context, p app.Profile) (app.Profile, error) {
	return h.Access.Hosts.Withdraw(c.Request().Context(), agent(c, p.Handle), p.Handle, c.Param("host"))
}

// self names the bearer's profile in a path.
const self = "self"

// answerProfile shows a profile. For "self" it omits the id: that is a token, and answers end up in
// logs.
func (h *Handlers) answerProfile(c echo.Context, status int, p app.Profile) error {
	v := viewProfile(p, h.Origins.BaseURL(c.Request()), h.Now())
	if c.Param("id") == self {
		v.ProfileID = self
	}
	return c.JSON(status, v)
}
