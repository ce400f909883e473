package profiles

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
)

func (h Handlers) showNewProfile(c echo.Context) error {
	sh, _, err := h.Shell(c, "Create a profile", layout.SectionProfiles)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, profileview.New(profileview.NewPage{Shell: sh}))
}

func (h Handlers) createOwnProfile(c echo.Context, fields url.Values) error {
	page := profileview.NewPage{Name: fields.Get("name"), Purpose: fields.Get("purpose")}
	description, err := readDescription(fields)
	var p app.Profile
	if err == nil {
		p, err = h.Access.Profiles.Create(c.Request().Context(), uix.Actor(c), description)
	}
	if err == nil {
		return h.Done(c, "profile-created", paths.ProfileURL(p.Handle))
	}
	if page.Problems, err = uix.Problems(err, descriptionFields()); err != nil {
		return err
	}
	if page.Shell, _, err = h.Shell(c, "Create a profile", layout.SectionProfiles); err != nil {
		return err
	}
	return h.Render(c, http.StatusUnprocessableEntity, profileview.New(page))
}

func readDescription(fields url.Values) (string, error) {
	name := strings.TrimSpace(fields.Get("name"))
	switch {
	case name == "":
		return "", app.Invalid("name", "it has no name", "Give it a short one.")
	case utf8.RuneCountInString(name) > app.MaxProfileName || strings.Contains(name, "\n"):
		return "", app.Invalid("name", fmt.Sprintf("the name is longer than %d characters", app.MaxProfileName),
			"Shorten it; the purpose has room for more.")
	}
	return app.JoinDescription(name, fields.Get("purpose")), nil
}

func descriptionFields() map[string]string {
	return map[string]string{"name": "name", "description": "purpose"}
}

func (h Handlers) showProfile(c echo.Context, p app.Profile) error {
	page, err := h.profilePage(c, p)
	if err != nil {
		return err
	}
	page.Live, page.Tab = uix.Partial(c), profileview.ParseTab(c.QueryParam("tab"))
	return h.Render(c, http.StatusOK, profileview.Profile(page), "beats", "list")
}

// showProfileAgain answers a refused form with the present profile and typed fields.
func (h Handlers) showProfileAgain(c echo.Context, handle string, keep func(*profileview.ProfilePage)) error {
	p, err := h.Access.Profiles.ByHandle(c.Request().Context(), handle)
	if err != nil {
		return err
	}
	page, err := h.profilePage(c, p)
	if err != nil {
		return err
	}
	keep(&page)
	return h.Render(c, http.StatusUnprocessableEntity, profileview.Profile(page))
}

// refuseProfile is showProfileAgain for an error about the form.
func (h Handlers) refuseProfile(c echo.Context, handle string, cause error) error {
	found, err := uix.Problems(cause, nil)
	if err != nil {
		return err
	}
	return h.showProfileAgain(c, handle, func(page *profileview.ProfilePage) { page.Problems = found })
}

// profilePage shows a profile with its present choices.
func (h Handlers) profilePage(c echo.Context, p app.Profile) (profileview.ProfilePage, error) {
	ctx := c.Request().Context()
	sh, _, err := h.Shell(c, format.Title(p.Description), layout.SectionProfiles)
	if err != nil {
		return profileview.ProfilePage{}, err
	}
	page := profileview.ProfilePage{
		Shell: sh, Profile: p, State: p.State(h.Now()), Allowed: app.AllowedHosts(p.Hosts),
		Expiry: profileview.ExpiryForm{Choice: "never"},
	}
	page.Name, page.Purpose = app.SplitDescription(p.Description)
	page.Place, page.MayRun = p.Placement, p.MayRun
	page.Backends, page.Images, page.Templates = h.places(p.Placement)
	if !p.ExpiresAt.IsZero() {
		page.Expiry.Choice = "keep"
	}
	if page.Credentials, err = h.Access.Credentials.List(ctx); err != nil {
		return profileview.ProfilePage{}, err
	}
	if page.Granted, err = h.Access.Grants.Keys(ctx, p); err != nil {
		return profileview.ProfilePage{}, err
	}
	for _, k := range p.Keys {
		page.Keys = append(page.Keys, suggestion(k, page.Credentials, p.Hosts))
	}
	for _, h := range p.Hosts {
		page.Hosts = append(page.Hosts, profileview.HostForm{HostRequest: h, Allow: h.Allowed})
	}
	beats, err := h.Engine.Statistics.Recent(ctx, p.Handle)
	if err != nil {
		return profileview.ProfilePage{}, err
	}
	page.Beats = viewBeats(beats[p.Handle])
	page.Executions, _, err = h.Engine.Reader.List(ctx, executions.Filter{ProfileHandle: p.Handle, Limit: 10})
	if err != nil {
		return profileview.ProfilePage{}, err
	}
	page.Summaries, err = h.Summaries(ctx, page.Executions, "")
	return page, err
}

// suggestion fills in a key's row: its link, a credential of the same name, or a new one. A
// requested injection is not preselected: a person must choose it knowingly.
func suggestion(k app.Key, credentials []app.Credential, hosts []app.HostRequest) profileview.KeyForm {
	f := profileview.KeyForm{
		Key: k, Link: profileview.LinkNew, NewName: k.Name, Mode: app.ModeSealed,
		Hosts: uix.HostLines(suggestedHosts(k, hosts)),
	}
	switch k.Mode {
	case app.ModePlain:
		f.Mode = app.ModePlain
	case app.ModeInjected:
		f.Mode = ""
	}
	if k.CredentialID != "" {
		f.Link = k.Credential
		return f
	}
	for _, c := range credentials {
		if c.Name == k.Name {
			f.Link = c.Name
		}
	}
	return f
}

// suggestedHosts returns likely hosts of a key's new credential: the agent's, else the profile's
// only host, if on port 443.
func suggestedHosts(k app.Key, hosts []app.HostRequest) []app.Host {
	if len(k.Hosts) > 0 || len(hosts) != 1 || hosts[0].KeyReference() != "" || !slices.Contains(hosts[0].Ports, 443) {
		return k.Hosts
	}
	return []app.Host{hosts[0].Host}
}
