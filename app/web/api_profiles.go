package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/web/httpx"
)

// createProfile answers POST /profiles.
func (s *Server) createProfile(c echo.Context) error {
	var in struct {
		Description string `in:"description,required"`
	}
	if err := httpx.ReadJSON(c, &in); err != nil {
		return err
	}
	if err := app.CheckText("description", in.Description, app.MaxDescription); err != nil {
		return err
	}
	if err := s.creation.Allow(c); err != nil {
		return err
	}
	p, err := s.cfg.Access.CreateProfile(c.Request().Context(), app.Actor{Kind: app.ActorAgent, Address: c.RealIP()}, in.Description)
	if err != nil {
		return err
	}
	httpx.LogProfile(c, p.Handle)
	c.Response().Header().Set("Location", s.origins.BaseURL(c.Request())+"/profiles/"+p.ID)
	return s.answerProfile(c, http.StatusCreated, p)
}

// readProfile answers GET /profiles/{id}. With ?wait= it returns when something changes that the agent can see, or at once when nothing is
// left for a person to decide.
func (s *Server) readProfile(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	p, err := s.pathProfile(c)
	if err != nil {
		return err
	}
	if wait > 0 {
		if p, err = s.awaitProfile(c, p, wait); err != nil {
			return err
		}
	}
	return s.answerProfile(c, http.StatusOK, p)
}

// awaitProfile returns the profile as soon as the agent's view of it differs from what first was, or as it stands when the time is over.
func (s *Server) awaitProfile(c echo.Context, p app.Profile, atMost time.Duration) (app.Profile, error) {
	release, err := s.waits.Acquire(p.Handle, p.Locked)
	if err != nil {
		return p, err
	}
	defer release()
	sub := s.cfg.Hub.Subscribe(live.Profile(p.Handle), live.Credentials)
	defer sub.Close()
	ctx, cancel := s.drain.ContextWithTimeout(c.Request().Context(), atMost)
	defer cancel()
	first := viewProfile(p, "", s.cfg.Now())
	for {
		// Read after subscribing, or a change in between is missed.
		now, err := s.cfg.Access.Profile(c.Request().Context(), p.ID)
		if err != nil {
			return p, err
		}
		if !undecided(now, s.cfg.Now()) || !reflect.DeepEqual(first, viewProfile(now, "", s.cfg.Now())) {
			return now, nil
		}
		select {
		case <-sub.C():
			sub.Topics()
		case <-ctx.Done():
			return now, c.Request().Context().Err()
		}
	}
}

// undecided reports whether a person still has something to decide about the profile: to lock it, to allow a host, to set a value that went missing.
func undecided(p app.Profile, now time.Time) bool {
	switch p.State(now) {
	case app.StateUnlocked:
		return true
	case app.StateLocked:
		return slices.ContainsFunc(p.Hosts, func(h app.HostRequest) bool { return !h.Allowed }) ||
			slices.ContainsFunc(p.Keys, func(k app.Key) bool { return !k.ValueExists })
	}
	return false
}

// keyInput is one key that an agent asks for.
type keyInput struct {
	Name        string      `in:"name,required"`
	Description string      `in:"description"`
	Mode        string      `in:"mode"`
	Hosts       []hostInput `in:"hosts"`
}

// addKeys answers POST /profiles/{id}/keys.
func (s *Server) addKeys(c echo.Context) error {
	var in struct {
		Keys []keyInput `in:"keys,required"`
	}
	p, err := s.pathProfile(c)
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
	if err := s.changes.Allow(c); err != nil {
		return err
	}
	p, err = s.cfg.Access.AddKeys(c.Request().Context(), agent(c, p), p.Handle, keys)
	if err != nil {
		return err
	}
	return s.answerProfile(c, http.StatusOK, p)
}

func readKeys(in []keyInput) ([]app.Key, error) {
	if len(in) == 0 || len(in) > app.MaxKeys {
		return nil, httpx.FieldError(app.CodeInvalidField, "keys", fmt.Sprintf("keys must have 1 to %d items", app.MaxKeys), `Send {"keys":[{"name":"API_KEY","description":"what it is for"}]}.`)
	}
	names := map[string]bool{}
	keys := make([]app.Key, len(in))
	for i, k := range in {
		path := fmt.Sprintf("keys[%d]", i)
		if err := app.CheckName(k.Name); err != nil {
			return nil, httpx.AtField(path+".name", err)
		}
		if names[k.Name] {
			return nil, httpx.FieldError(app.CodeInvalidField, path+".name", "the key "+k.Name+" is given twice", "Give each key once.")
		}
		names[k.Name] = true
		if err := app.CheckText("description", k.Description, app.MaxDescription); err != nil {
			return nil, httpx.AtField(path+".description", err)
		}
		keys[i] = app.Key{Name: k.Name, Description: k.Description}
		if k.Mode != "" {
			mode, err := app.ParseMode(k.Mode)
			if err != nil {
				return nil, httpx.AtField(path+".mode", err)
			}
			keys[i].Mode = mode
		}
		if len(k.Hosts) > app.MaxHosts {
			return nil, httpx.FieldError(app.CodeInvalidField, path+".hosts", fmt.Sprintf("%s.hosts has more than %d items", path, app.MaxHosts), "Name fewer hosts.")
		}
		for _, h := range k.Hosts {
			keys[i].Hosts = append(keys[i].Hosts, h.host)
		}
	}
	return keys, nil
}

// removeKey answers DELETE /profiles/{id}/keys/{name}.
func (s *Server) removeKey(c echo.Context) error {
	p, err := s.pathProfile(c)
	if err != nil {
		return err
	}
	if err := s.changes.Allow(c); err != nil {
		return err
	}
	p, err = s.cfg.Access.RemoveKey(c.Request().Context(), agent(c, p), p.Handle, c.Param("name"))
	if err != nil {
		return err
	}
	return s.answerProfile(c, http.StatusOK, p)
}

// hostInput is a host as an agent writes it: "api.example.com", "db.example.com:5432", or an object.
type hostInput struct{ host app.Host }

// BindJSON implements httpx.JSONBinder.
func (h *hostInput) BindJSON(raw json.RawMessage, path string) error {
	if httpx.KindOf(raw) == "a string" {
		var text string
		if err := httpx.BindJSON(raw, &text, path); err != nil {
			return err
		}
		host, err := app.ParseHost(text)
		h.host = host
		return httpx.AtField(path, err)
	}
	var in struct {
		Host     string `in:"host,required"`
		Ports    []int  `in:"ports"`
		Protocol string `in:"protocol"`
		Reason   string `in:"reason"`
	}
	if httpx.KindOf(raw) != "an object" {
		return httpx.WrongType(path, "a string or an object", raw)
	}
	if err := httpx.BindJSON(raw, &in, path); err != nil {
		return err
	}
	host, err := app.ParseHost(in.Host)
	switch withPort := err == nil && strings.LastIndex(in.Host, ":") > strings.LastIndex(in.Host, "]"); {
	case len(in.Ports) > 0 && withPort:
		return httpx.FieldError(app.CodeInvalidField, path+".host", path+".host has a port, and there are ports besides", "Write ports in one place: host with its port, or host alone and ports.")
	case len(in.Ports) > 0 && err == nil:
		host.Ports = in.Ports
	case len(in.Ports) > 0: // beside ports an IPv6 address needs no brackets
		host = app.Host{Name: in.Host, Ports: in.Ports}
	case err != nil:
		return httpx.AtField(path+".host", err)
	}
	host.Protocol, host.Reason = app.Protocol(in.Protocol), in.Reason
	if h.host, err = host.Canonical(); err == nil {
		err = h.host.CheckAskable()
	}
	return httpx.InField(path, err)
}

// proposeHosts answers POST /profiles/{id}/hosts. A proposal grants nothing until a person allows it.
func (s *Server) proposeHosts(c echo.Context) error {
	var in struct {
		Hosts []hostInput `in:"hosts,required"`
	}
	p, err := s.pathProfile(c)
	if err != nil {
		return err
	}
	if err := httpx.ReadJSON(c, &in); err != nil {
		return err
	}
	if len(in.Hosts) == 0 || len(in.Hosts) > app.MaxHosts {
		return httpx.FieldError(app.CodeInvalidField, "hosts", fmt.Sprintf("hosts must have 1 to %d items", app.MaxHosts), `Send {"hosts":[{"host":"api.example.com","reason":"why"}]}.`)
	}
	hosts := make([]app.Host, len(in.Hosts))
	for i, h := range in.Hosts {
		if err := cmp.Or(p.CheckReference(h.host), h.host.CheckReachable()); err != nil {
			return httpx.AtField(fmt.Sprintf("hosts[%d].host", i), err)
		}
		hosts[i] = h.host
	}
	if err := s.changes.Allow(c); err != nil {
		return err
	}
	p, err = s.cfg.Access.ProposeHosts(c.Request().Context(), agent(c, p), p.Handle, hosts)
	if err != nil {
		return err
	}
	return s.answerProfile(c, http.StatusOK, p)
}

func (s *Server) answerProfile(c echo.Context, status int, p app.Profile) error {
	return c.JSON(status, viewProfile(p, s.origins.BaseURL(c.Request()), s.cfg.Now()))
}
