package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// find takes a handle or a profile id.
func (o *operator) find(ctx context.Context, id string) (app.Profile, error) {
	if app.IsProfileID(id) {
		return o.Access.Profiles.ByID(ctx, id)
	}
	return o.Access.Profiles.ByHandle(ctx, id)
}

// grants are what the flags --key, --host and --private-host say.
type grants struct {
	names      []string
	credential map[string]string // by the name of a key
	hosts      []app.Host
}

// readGrants reads NAME[=CREDENTIAL] and hosts. Each credential must exist.
func (o *operator) readGrants(ctx context.Context, a cli.Args) (g grants, err error) {
	g.credential = map[string]string{}
	for _, text := range a.List("key") {
		name, linked, ok := strings.Cut(text, "=")
		if !ok {
			linked = name
		}
		if err := o.mustExist(ctx, linked); err != nil {
			return g, err
		}
		g.names, g.credential[name] = append(g.names, name), linked
	}
	g.hosts, err = parseHosts(a.List("host"), a.List("private-host"))
	if err == nil {
		err = app.CheckAdded(g.hosts, nil)
	}
	return g, err
}

func (o *operator) createProfile(ctx context.Context, a cli.Args) error {
	place, err := o.readPlacement(a)
	if err != nil {
		return err
	}
	g, err := o.readGrants(ctx, a)
	if err != nil {
		return err // before anything is made
	}
	p, err := o.Access.Profiles.Create(ctx, o.by, a.Text("description"))
	if err != nil {
		return err
	}
	if _, err = o.grant(ctx, p, g); err != nil {
		return err
	}
	if _, err = o.Access.Placements.Set(ctx, o.by, p.Handle, place); err != nil {
		return err
	}
	fmt.Fprintln(o.Err, "handle "+p.Handle)
	fmt.Fprintln(o.Out, p.ID)
	return nil
}

func (o *operator) mustExist(ctx context.Context, credential string) error {
	_, err := o.Access.Credentials.ByName(ctx, credential)
	if app.CodeOf(err) == app.CodeNotFound {
		return app.E(app.CodeNotFound, fmt.Sprintf("there is no credential %q", app.Clip(credential, 80)),
			"Make it first: airlock admin credential set NAME; airlock admin credential list shows those that exist.")
	}
	return err
}

// grant adds and links keys, and allows hosts.
func (o *operator) grant(ctx context.Context, p app.Profile, g grants) (app.Profile, error) {
	var missing []app.Key
	for _, name := range g.names {
		if !slices.ContainsFunc(p.Keys, func(k app.Key) bool { return k.Name == name }) {
			missing = append(missing, app.Key{Name: name})
		}
	}
	var err error
	if len(missing) > 0 {
		if p, err = o.Access.Keys.Add(ctx, o.by, p.Handle, missing); err != nil {
			return p, err
		}
	}
	for _, name := range g.names {
		if p, err = o.Access.Keys.Link(ctx, o.by, p.Handle, name, g.credential[name]); err != nil {
			return p, err
		}
	}
	if len(g.hosts) == 0 {
		return p, nil
	}
	allowed, _, err := profiles.MergeHosts(p, g.hosts, nil)
	if err != nil {
		return p, err
	}
	return o.Access.Hosts.Set(ctx, o.by, p.Handle, allowed, nil)
}

// lockProfile links keys to the credentials of their names, or as --key says, sets hosts and
// expiry, and locks.
func (o *operator) lockProfile(ctx context.Context, p app.Profile, a cli.Args) error {
	until, err := parseExpiry(a.Text("expires"), time.Now())
	if err != nil {
		return err
	}
	// Before anything is granted: a failed lock must not have widened a locked profile.
	if err := p.CanChangeKeys(time.Now()); err != nil {
		return err
	}
	g, err := o.readGrants(ctx, a)
	if err != nil {
		return err
	}
	for _, k := range p.Keys {
		if _, named := g.credential[k.Name]; named || k.CredentialID != "" {
			continue
		}
		if err := o.mustExist(ctx, k.Name); err != nil {
			return err
		}
		g.names, g.credential[k.Name] = append(g.names, k.Name), k.Name
	}
	if p, err = o.grant(ctx, p, g); err != nil {
		return err
	}
	if a.IsGiven("expires") {
		if p, err = o.Access.Lifecycle.SetExpiry(ctx, o.by, p.Handle, until); err != nil {
			return err
		}
	}
	if o.asks(a) { // the agent may have asked for more since they looked
		if err := o.tellGranted(ctx, p); err != nil {
			return err
		}
		if err := o.confirm("Lock it? Its keys can't change afterwards.", app.E(app.CodeConflict,
			"not confirmed, so the profile is not locked", "The keys, hosts and end that you named are kept on it, and count "+
				"once it is locked. Run it again and answer y, or give --yes.")); err != nil {
			return err
		}
	}
	requests := p.Hosts
	if p, err = o.Access.Lifecycle.Lock(ctx, o.by, p.Handle, p.UpdatedAt); err != nil {
		return err
	}
	o.tellRefused(p.Handle, requests, "The agent asked for %s, which the lock dismissed.")
	return o.tellGranted(ctx, p)
}

func (o *operator) expireProfile(ctx context.Context, p app.Profile, a cli.Args) error {
	at, err := parseExpiry(a.Rest[1], time.Now())
	if err == nil {
		_, err = o.Access.Lifecycle.SetExpiry(ctx, o.by, p.Handle, at)
	}
	return err
}

// parseExpiry reads an expiry as profiles.ParseExpiry does; "" is never.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	if at, ok := profiles.ParseExpiry(cmp.Or(text, "never"), now); ok {
		return at, nil
	}
	return time.Time{}, cli.UsageError{Message: fmt.Sprintf(
		"%q is not a time; write 2026-12-31, 2026-12-31T18:00:00Z, 30d, 12h or never", app.Clip(text, 40))}
}

func (o *operator) revokeProfile(ctx context.Context, p app.Profile, _ cli.Args) error {
	_, err := o.Access.Lifecycle.Revoke(ctx, o.by, p.Handle)
	return err
}

func (o *operator) deleteProfile(ctx context.Context, p app.Profile, _ cli.Args) error {
	return o.Access.Profiles.Delete(ctx, o.by, p.Handle)
}

// setMayRun says which code a profile may run.
func (o *operator) setMayRun(ctx context.Context, p app.Profile, a cli.Args) error {
	may, err := app.ParseMayRun(a.Rest[1])
	if err != nil {
		return err
	}
	if p, err = o.Access.CodeRules.Set(ctx, o.by, p.Handle, may); err != nil {
		return err
	}
	fmt.Fprintln(o.Out, p.MayRun.Sentence())
	return nil
}

func (o *operator) listProfiles(ctx context.Context, _ cli.Args) error {
	list, err := o.Access.Profiles.List(ctx)
	if err != nil {
		return err
	}
	return table(o, list, func(p app.Profile) []string {
		name, _ := app.SplitDescription(p.Description)
		return []string{p.Handle, string(p.State(time.Now())), keyNames(p), cli.Stamp(p.ExpiresAt),
			fmt.Sprint(p.Executions), name}
	}, "HANDLE", "STATE", "KEYS", "EXPIRES", "RUNS", "NAME")
}

func keyNames(p app.Profile) string {
	names := make([]string, len(p.Keys))
	for i, k := range p.Keys {
		names[i] = k.Name
		if !k.ValueExists {
			names[i] += " (missing)"
		}
	}
	return strings.Join(names, ", ")
}

func (o *operator) showProfile(ctx context.Context, p app.Profile, _ cli.Args) error {
	w := cli.Table(o.Out, "profile", p.ID)
	w.Row("handle", p.Handle)
	w.Row("state", string(p.State(time.Now())))
	w.Row("description", strconv.Quote(p.Description))
	w.Row("pairing code", p.PairingCode)
	w.Row("created", cli.Join(" from ", cli.Stamp(p.CreatedAt), p.CreatedFrom))
	w.Row("expires", cli.Stamp(p.ExpiresAt))
	w.Row("code", p.MayRun.Sentence())
	if p.Placement != (app.Placement{}) {
		w.Row("runs", p.Placement.String())
	}
	for _, k := range p.Keys {
		linked := k.Credential
		if linked == "" {
			linked = "(not linked)"
		}
		w.Row("key", cli.Join(" ", k.Name+" → "+linked, string(k.CredentialMode)))
		if k.Description != "" {
			w.Row("reason", strconv.Quote(k.Description))
		}
		if wishes := profiles.Wishes(k); wishes != "" {
			w.Row("requested", wishes)
		}
	}
	for _, h := range p.Hosts {
		state := "asked for"
		if h.Allowed {
			state = "allowed"
		}
		w.Row("host", h.String()+" "+state)
		if h.Reason != "" {
			w.Row("reason", strconv.Quote(h.Reason))
		}
	}
	granted, requested, err := o.Access.Grants.Describe(ctx, p)
	if err != nil {
		return err
	}
	for _, s := range granted {
		w.Row("grants", s.Line())
	}
	for _, s := range requested {
		w.Row("requested", s.Line())
	}
	return w.Flush()
}
