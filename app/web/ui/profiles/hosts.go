package profiles

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
)

// chosen holds the decisions about a profile's hosts.
type chosen struct {
	allowed   []app.Host
	dismissed []string // proposals that were shown and left unticked
}

// readHosts reads the rows of hosts. A row counts only for a host of the profile: ticks can't add
// others. Hosts without a row stay. If only the added host is invalid, the rest is returned with
// the error.
func readHosts(fields url.Values, p app.Profile) (chosen, error) {
	var c chosen
	shown := map[string]int{}
	for i := range app.MaxHosts + 1 {
		if text := fields.Get(profileview.HostField(i)); text != "" {
			shown[text] = i
		}
	}
	for _, h := range p.Hosts {
		i, ok := shown[h.String()]
		switch {
		case !ok && h.Allowed:
			c.allowed = append(c.allowed, h.Host)
		case ok && fields.Get(profileview.AllowField(i)) != "":
			h.Private = fields.Get(profileview.PrivateField(i)) != ""
			h.Protocol = chosenProtocol(fields, i, h.Protocol)
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
		return c, err
	}
	added.Private, added.Protocol = fields.Get("new_private") != "", app.Protocol(fields.Get("new_protocol"))
	if added, err = added.Canonical(); err != nil {
		return c, err
	}
	for i, h := range c.allowed {
		if h.String() == added.String() {
			c.allowed[i].Private, c.allowed[i].Protocol = added.Private, added.Protocol
			return c, nil
		}
	}
	c.allowed = append(c.allowed, added)
	return c, nil
}

// changeHosts applies the hosts form after the lock. Removals and dismissals count at once. A wider
// reach is shown first and needs the person's grant.
func (h Handlers) changeHosts(c echo.Context, p app.Profile, fields url.Values) (err error) {
	if !p.Locked {
		return app.E(app.CodeProfileUnlocked, "the profile is not locked yet", "Use its form; hosts are chosen there.")
	}
	choice, wrong := readHosts(fields, p)
	granted := fields.Get("do") == "grant"
	looked := p.UpdatedAt
	if granted {
		if looked, err = time.Parse(time.RFC3339Nano, fields.Get("seen")); err != nil || looked.IsZero() {
			return app.Invalid("seen", "the form is incomplete", "Open the page again and change the hosts from there.")
		}
	}
	switch {
	case wrong != nil:
		err = wrong
	case !granted && widens(choice.allowed, app.AllowedHosts(p.Hosts)):
		if err = app.CheckAdded(choice.allowed, app.AllowedHosts(p.Hosts)); err == nil {
			return h.reviewHosts(c, p, choice.allowed, fields)
		}
	default:
		_, err = h.Access.Hosts.SetAsSeen(c.Request().Context(), uix.Actor(c), p.Handle, looked, choice.allowed,
			choice.dismissed)
	}
	if err == nil {
		notice := hostsNotice(app.AllowedHosts(p.Hosts), choice)
		return h.redirectAfterHosts(c, p, notice, fields.Get(profileview.ExecutionField))
	}
	found, err := uix.Problems(err, map[string]string{"host": "new_host", "hosts": "new_host"})
	if err != nil {
		return err
	}
	return h.showProfileAgain(c, p.Handle, func(page *profileview.ProfilePage) {
		page.Tab, page.Problems = profileview.TabAccess, found
		keepTicks(page, fields)
		keepHost(page, fields)
	})
}

// keepTicks restores a refused form's choices.
func keepTicks(page *profileview.ProfilePage, fields url.Values) {
	for i, h := range page.Hosts {
		for j := range app.MaxHosts + 1 {
			if fields.Get(profileview.HostField(j)) == h.String() {
				page.Hosts[i].Allow = fields.Get(profileview.AllowField(j)) != ""
				page.Hosts[i].Private = fields.Get(profileview.PrivateField(j)) != ""
				page.Hosts[i].Protocol = chosenProtocol(fields, j, h.Protocol)
			}
		}
	}
}

// chosenProtocol returns a row's protocol, else the previous one.
func chosenProtocol(fields url.Values, row int, before app.Protocol) app.Protocol {
	if name := profileview.ProtocolField(row); fields.Has(name) {
		return app.Protocol(fields.Get(name))
	}
	return before
}

// redirectAfterHosts leads back to the form's execution, or to the hosts.
func (h Handlers) redirectAfterHosts(c echo.Context, p app.Profile, notice, execution string) error {
	if execution != "" && notice == "hosts-changed" {
		x, err := h.Engine.Reader.ByHandle(c.Request().Context(), execution)
		if err == nil && x.ProfileHandle == p.Handle {
			return h.Done(c, "hosts-added-run", paths.ExecutionURL(x.Handle))
		}
	}
	return h.Done(c, notice, profileview.TabAccess.URL(p.Handle))
}

// hostsNotice names the notice after a decision on hosts.
func hostsNotice(before []app.Host, choice chosen) string {
	switch {
	case widens(choice.allowed, before), widens(before, choice.allowed):
		return "hosts-changed"
	case len(choice.dismissed) > 0:
		return "hosts-dismissed"
	}
	return "hosts-same"
}

// reviewHosts shows the grant. Its form sends the same fields again.
func (h Handlers) reviewHosts(c echo.Context, p app.Profile, allowed []app.Host, fields url.Values) error {
	sh, _, err := h.Shell(c, "Change the hosts of "+format.Title(p.Description), layout.SectionProfiles)
	if err != nil {
		return err
	}
	page := profileview.HostsPage{Shell: sh, Profile: p, Allowed: allowed}
	if page.Granted, err = h.Access.Grants.Keys(c.Request().Context(), p); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "do" && name != "seen" {
			page.Fields = append(page.Fields, components.Choice{Value: name, Word: fields.Get(name)})
		}
	}
	page.Fields = append(page.Fields, components.Choice{Value: "seen", Word: versionOf(p)})
	c.Response().Header().Set("HX-Push-Url", "false") // its address takes forms only
	return h.Render(c, http.StatusOK, profileview.Hosts(page))
}

// versionOf identifies the state of a profile that a page showed.
func versionOf(p app.Profile) string { return p.UpdatedAt.UTC().Format(time.RFC3339Nano) }

// widens reports whether scripts could reach more than before.
func widens(hosts, before []app.Host) bool {
	return slices.ContainsFunc(hosts, func(h app.Host) bool {
		return !slices.ContainsFunc(before, func(b app.Host) bool {
			return b.String() == h.String() && b.Protocol == h.Protocol && (b.Private || !h.Private)
		})
	})
}
