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
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/app/web/httpx"
)

type profiles struct {
	lookup   lookup
	access   *access.Parts
	hub      *live.Hub
	now      func() time.Time
	origins  httpx.Origins
	drain    *httpx.Drain
	waits    *shares.Shares // long polls, by profile
	creation *httpx.RateLimiter
	changes  *httpx.RateLimiter
}

// create answers POST /profiles.
func (h *profiles) create(c echo.Context) error {
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
	p, err := h.access.Profiles.Create(c.Request().Context(), agent(c, ""), in.Description)
	if err != nil {
		return err
	}
	httpx.LogProfile(c, p.Handle)
	c.Response().Header().Set("Location", h.origins.BaseURL(c.Request())+"/profiles/"+p.ID)
	return h.answer(c, http.StatusCreated, p)
}

// read answers GET /profiles/{id}. With ?wait= it returns when the agent's view changes, or when no
// decision is open.
func (h *profiles) read(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	p, err := h.lookup.profile(c)
	if err != nil {
		return err
	}
	if wait > 0 {
		if p, err = h.await(c, p, wait); err != nil {
			return err
		}
	}
	return h.answer(c, http.StatusOK, p)
}

// await returns the profile when the agent's view changes, or after atMost.
func (h *profiles) await(c echo.Context, p app.Profile, atMost time.Duration) (app.Profile, error) {
	name := p.Handle
	if !p.Locked {
		name = httpx.Strangers
	}
	if !h.waits.Enter(name) {
		return p, httpx.ErrBusy
	}
	defer h.waits.Leave(name)
	sub := h.hub.Subscribe(live.Profile(p.Handle), live.Credentials)
	defer sub.Close()
	ctx, cancel := h.drain.ContextWithTimeout(c.Request().Context(), atMost)
	defer cancel()
	first := viewProfile(p, "", h.now())
	for {
		// Read after subscribing, to miss no change.
		current, err := h.access.Profiles.ByID(c.Request().Context(), p.ID)
		if err != nil {
			return p, err
		}
		if !needsDecision(current, h.now()) || !reflect.DeepEqual(first, viewProfile(current, "", h.now())) {
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

// addKeys answers POST /profiles/{id}/keys.
func (h *profiles) addKeys(c echo.Context) error {
	var in struct {
		Keys []keyInput `in:"keys,required"`
	}
	p, err := h.lookup.profile(c)
	if err != nil {
		return err
	}
	if err := httpx.ReadJSON(c, &in); err != nil {
		return err
	}
	keys, err := readKeys(in.Keys)
	if err != nil {
		return err
	}
	if err := h.changes.Allow(c); err != nil {
		return err
	}
	p, err = h.access.Keys.Add(c.Request().Context(), agent(c, p.Handle), p.Handle, keys)
	if err != nil {
		return err
	}
	return h.answer(c, http.StatusOK, p)
}

// removeKey answers DELETE /profiles/{id}/keys/{name}.
func (h *profiles) removeKey(c echo.Context) error {
	p, err := h.lookup.profile(c)
	if err != nil {
		return err
	}
	if err := h.changes.Allow(c); err != nil {
		return err
	}
	p, err = h.access.Keys.Remove(c.Request().Context(), agent(c, p.Handle), p.Handle, c.Param("name"))
	if err != nil {
		return err
	}
	return h.answer(c, http.StatusOK, p)
}

// proposeHosts answers POST /profiles/{id}/hosts. Only a person can grant a proposal.
func (h *profiles) proposeHosts(c echo.Context) error {
	var in struct {
		Hosts []hostInput `in:"hosts,required"`
	}
	p, err := h.lookup.profile(c)
	if err != nil {
		return err
	}
	if err := httpx.ReadJSON(c, &in); err != nil {
		return err
	}
	if len(in.Hosts) == 0 || len(in.Hosts) > app.MaxHosts {
		return httpx.FieldError(app.CodeInvalidField, "hosts",
			fmt.Sprintf("hosts must have 1 to %d items", app.MaxHosts),
			`Send {"hosts":[{"host":"api.example.com","reason":"why"}]}.`)
	}
	hosts, allowed := make([]app.Host, len(in.Hosts)), app.AllowedHosts(p.Hosts)
	for i, h := range in.Hosts {
		if err := cmp.Or(p.CheckReference(h.host), app.CheckAdded([]app.Host{h.host}, allowed)); err != nil {
			return httpx.AtField(fmt.Sprintf("hosts[%d].host", i), err)
		}
		hosts[i] = h.host
	}
	if err := h.changes.Allow(c); err != nil {
		return err
	}
	p, err = h.access.Hosts.Propose(c.Request().Context(), agent(c, p.Handle), p.Handle, hosts)
	if err != nil {
		return err
	}
	return h.answer(c, http.StatusOK, p)
}

// withdrawHost answers DELETE /profiles/{id}/hosts/{host}, which retracts the agent's open request.
func (h *profiles) withdrawHost(c echo.Context) error {
	p, err := h.lookup.profile(c)
	if err != nil {
		return err
	}
	if err := h.changes.Allow(c); err != nil {
		return err
	}
	p, err = h.access.Hosts.Withdraw(c.Request().Context(), agent(c, p.Handle), p.Handle, c.Param("host"))
	if err != nil {
		return err
	}
	return h.answer(c, http.StatusOK, p)
}

// self names the bearer's profile in a path.
const self = "self"

// answer shows a profile. For "self" it omits the id: that is a token, and answers end up in logs.
func (h *profiles) answer(c echo.Context, status int, p app.Profile) error {
	v := viewProfile(p, h.origins.BaseURL(c.Request()), h.now())
	if c.Param("id") == self {
		v.ProfileID = self
	}
	return c.JSON(status, v)
}
