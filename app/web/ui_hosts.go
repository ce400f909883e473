package web

import (
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views"
)

// chosen is what the ticks of a form say about a profile's hosts.
type chosen struct {
	allowed   []app.Host
	dismissed []string // proposals that were shown and left unticked
}

// chosenHosts reads the rows of hosts. A row counts only if the profile has that host: ticks can't bring in another one. What the form
// didn't show stays as it is. The added host is read last; if it can't be, the rest is returned with the error.
func chosenHosts(fields url.Values, p app.Profile) (chosen, *app.Error) {
	var c chosen
	shown := map[string]int{}
	for i := range app.MaxHosts + 1 {
		if text := fields.Get(views.HostField(i)); text != "" {
			shown[text] = i
		}
	}
	for _, h := range p.Hosts {
		i, ok := shown[h.String()]
		switch {
		case !ok && h.Allowed:
			c.allowed = append(c.allowed, h.Host)
		case ok && fields.Get(views.AllowField(i)) != "":
			h.Private = fields.Get(views.PrivateField(i)) != ""
			c.allowed = append(c.allowed, h.Host)
		case ok && !h.Allowed:
			c.dismissed = append(c.dismissed, h.String())
		}
	}
	text := strings.TrimSpace(fields.Get("new_host"))
	if text == "" {
		return c, nil
	}
	added, err := app.ParseHost(text)
	if err != nil {
		e, _ := asAppError(err)
		return c, e
	}
	added.Private = fields.Get("new_private") != ""
	for i, h := range c.allowed {
		if h.String() == added.String() {
			c.allowed[i].Private = added.Private
			return c, nil
		}
	}
	c.allowed = append(c.allowed, added)
	return c, nil
}

// changeHosts is the form of hosts after the lock: a new policy version, and proposals left unticked are refused.
func (s *Server) changeHosts(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	if !p.Locked {
		return app.E(app.CodeProfileUnlocked, "the profile is not locked yet", "Use its form; hosts are chosen there.")
	}
	choice, wrong := chosenHosts(fields, p)
	if wrong != nil {
		err = wrong
	} else {
		_, err = s.cfg.Access.SetHosts(c.Request().Context(), actorOf(c), p.Handle, choice.allowed, choice.dismissed)
	}
	if err == nil {
		return s.done(c, "hosts-changed", views.ProfileURL(p.Handle))
	}
	found, err := problems(err, map[string]string{"host": "new_host", "hosts": "new_host"})
	if err != nil {
		return err
	}
	return s.showProfileAgain(c, p.Handle, func(page *views.ProfilePage) {
		page.Problems = found
		for i, h := range page.Hosts {
			for j := range app.MaxHosts + 1 {
				if fields.Get(views.HostField(j)) == h.Text {
					page.Hosts[i].Allow, page.Hosts[i].Private = fields.Get(views.AllowField(j)) != "", fields.Get(views.PrivateField(j)) != ""
				}
			}
		}
		keepHost(page, fields)
	})
}
