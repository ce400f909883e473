package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/views"
)

func (s *Server) showOverview(c echo.Context) error {
	sh, profiles, err := s.shell(c, "Overview", views.SectionOverview)
	if err != nil {
		return err
	}
	list, _, err := s.cfg.Engine.List(c.Request().Context(), engine.Filter{Limit: 10})
	if err != nil {
		return err
	}
	page := views.OverviewPage{Shell: sh, Executions: list, Box: boxState(s.cfg.Engine.Health())}
	slices.Reverse(profiles) // who waits longest comes first
	for _, p := range profiles {
		if n, waits := s.need(p); waits {
			page.Needs = append(page.Needs, n)
		}
	}
	page.Step = firstStep(profiles, list)
	return s.render(c, http.StatusOK, views.OverviewView(page), "recent")
}

// firstStep is where somebody new stands, or 0 when scripts have run.
func firstStep(profiles []app.Profile, executions []app.Execution) int {
	switch {
	case len(executions) > 0:
		return 0
	case slices.ContainsFunc(profiles, func(p app.Profile) bool { return p.Locked }):
		return 3
	case len(profiles) > 0:
		return 2
	}
	return 1
}

// need says what a profile needs a person for, if it does.
func (s *Server) need(p app.Profile) (n views.Need, waits bool) {
	n = views.Need{Title: views.Title(p.Description), URL: views.ProfileURL(p.Handle)}
	asked := 0
	for _, h := range p.Hosts {
		if !h.Allowed {
			asked++
		}
	}
	switch p.State(s.cfg.Now()) {
	case app.StateUnlocked:
		n.Action, n.Code = "Fill in and lock", p.PairingCode
		if p.PairingCode == "" {
			n.Detail = "It is being set up and not locked yet."
			return n, true
		}
		n.Detail = "An agent at " + p.CreatedFrom + " asks for " + wanted(len(p.Keys), asked) + ", " + views.Ago(p.CreatedAt, s.cfg.Now()) + "."
		return n, true
	case app.StateLocked:
		if asked > 0 {
			n.Action, n.Detail = "Decide", "Its agent asks for "+views.Count(int64(asked), "more host")+"."
			return n, true
		}
		for _, k := range p.Keys {
			if !k.ValueExists {
				n.Action, n.URL = "Set the value", views.CredentialURL(k.Credential)
				n.Detail = "Its key " + k.Name + " has no value, so its scripts are refused."
				return n, k.Credential != ""
			}
		}
	}
	return n, false
}

// wanted names what an agent asks for.
func wanted(keys, hosts int) string {
	switch {
	case keys == 0 && hosts == 0:
		return "nothing so far"
	case hosts == 0:
		return views.Count(int64(keys), "key")
	case keys == 0:
		return views.Count(int64(hosts), "host")
	}
	return views.Count(int64(keys), "key") + " and " + views.Count(int64(hosts), "host")
}

func (s *Server) showSandbox(c echo.Context) error {
	sh, _, err := s.shell(c, "Sandbox", views.SectionSandbox)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.SandboxView(views.SandboxPage{Shell: sh, Box: boxState(s.cfg.Engine.Health())}))
}

func boxState(h engine.Health) views.BoxState {
	b := views.BoxState{
		Ready: h.Ready, Backend: h.Backend, Tier: h.Tier, Reason: sentence(h.Reason), Runtime: h.Runtime,
		Workers: h.Workers, Running: h.Running, Waiting: h.Waiting, Queued: h.Queued, Warm: h.Warm,
	}
	for _, ctl := range h.Controls {
		b.Proofs = append(b.Proofs, views.Proof{Name: strings.ReplaceAll(ctl.Name, "_", " "), Proved: ctl.Proved, Detail: ctl.Detail})
	}
	for name, how := range h.Enforced {
		b.Limits = append(b.Limits, views.Limit{Name: strings.ReplaceAll(name, "_", " "), How: how})
	}
	slices.SortFunc(b.Limits, func(x, y views.Limit) int { return strings.Compare(x.Name, y.Name) })
	return b
}
