package admin

import (
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

type grants struct {
	keys, hosts, private *[]string
}

func grantFlags(f *cli.Flags) grants {
	return grants{keys: f.List("key"), hosts: f.List("host"), private: f.List("private-host")}
}

// keyLinks splits NAME[=CREDENTIAL].
func (g grants) keyLinks() (names []string, credential map[string]string) {
	credential = map[string]string{}
	for _, text := range *g.keys {
		name, linked, ok := strings.Cut(text, "=")
		if !ok {
			linked = name
		}
		names = append(names, name)
		credential[name] = linked
	}
	return names, credential
}

func (g grants) allHosts() ([]app.Host, error) {
	hosts, err := parseHosts(*g.hosts, false)
	if err != nil {
		return nil, err
	}
	private, err := parseHosts(*g.private, true)
	return append(hosts, private...), err
}

func (o *operator) createProfile(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin profile create", Usage)
	description := f.String("description", "", "")
	g := grantFlags(f)
	place := placementFlags(f)
	if _, err := o.Parse(ctx, f, args); err != nil {
		return err
	}
	if err := o.checkPlacement(*place); err != nil {
		return err
	}
	hosts, err := g.allHosts()
	if err == nil {
		err = app.CheckAdded(hosts, nil)
	}
	if err != nil {
		return err // before anything is made
	}
	names, credential := g.keyLinks()
	for _, name := range names {
		if err := o.mustExist(ctx, credential[name]); err != nil {
			return err
		}
	}
	p, err := o.Access.Profiles.Create(ctx, o.by, *description)
	if err != nil {
		return err
	}
	if _, err = o.grant(ctx, p, g); err != nil {
		return err
	}
	if _, err = o.Access.Placements.Set(ctx, o.by, p.Handle, *place); err != nil {
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

func (o *operator) grant(ctx context.Context, p app.Profile, g grants) (app.Profile, error) {
	names, credential := g.keyLinks()
	var missing []app.Key
	for _, name := range names {
		if err := o.mustExist(ctx, credential[name]); err != nil {
			return p, err
		}
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
	for _, name := range names {
		if p, err = o.Access.Keys.Link(ctx, o.by, p.Handle, name, credential[name]); err != nil {
			return p, err
		}
	}
	more, err := g.allHosts()
	if err != nil || len(more) == 0 {
		return p, err
	}
	allowed := more
	for _, h := range p.Hosts {
		if h.Allowed && !slices.ContainsFunc(more, func(m app.Host) bool { return m.String() == h.Host.String() }) {
			allowed = append(allowed, h.Host)
		}
	}
	return o.Access.Hosts.Set(ctx, o.by, p.Handle, allowed, nil)
}

// lockProfile links credentials by name, sets hosts and expiry, and locks. On a locked profile only
// hosts and expiry can change.
func (o *operator) lockProfile(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin profile lock", Usage)
	g := grantFlags(f)
	expires, yes := f.String("expires", "", ""), f.Bool("yes", false, "")
	rest, err := o.Parse(ctx, f, args, "ID")
	if err != nil {
		return err
	}
	until, err := parseExpiry(*expires, time.Now())
	if err != nil {
		return err
	}
	p, err := o.find(ctx, rest[0])
	if err != nil {
		return err
	}
	// Before anything is granted: a failed lock must not have widened a locked profile.
	if err := p.CanChangeKeys(time.Now()); err != nil {
		if p.State(time.Now()) == app.StateLocked {
			return app.E(app.CodeProfileLocked, "the profile is locked already; nothing was changed",
				"Allow or remove its hosts with airlock admin profile hosts ID, or on its page in the UI.")
		}
		return err
	}
	if p, err = o.grant(ctx, p, g); err != nil {
		return err
	}
	if err := o.linkKeys(ctx, p); err != nil {
		return err
	}
	if *expires != "" {
		if _, err := o.Access.Lifecycle.SetExpiry(ctx, o.by, p.Handle, until); err != nil {
			return err
		}
	}
	if p, err = o.find(ctx, p.Handle); err != nil {
		return err
	}
	asked := o.asks(*yes)
	if asked { // the agent may have asked for more since they looked
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
	if p, err = o.Access.Lifecycle.Lock(ctx, o.by, p.Handle, p.UpdatedAt); err != nil || asked {
		return err
	}
	o.tellRefused(p.Handle, requests, "The agent asked for %s, which the lock dismissed.")
	return o.tellGranted(ctx, p)
}

// linkKeys links keys without a credential to the credentials of the same names.
func (o *operator) linkKeys(ctx context.Context, p app.Profile) error {
	for _, k := range p.Keys {
		if k.CredentialID != "" {
			continue
		}
		if err := o.mustExist(ctx, k.Name); err != nil {
			return err
		}
		if _, err := o.Access.Keys.Link(ctx, o.by, p.Handle, k.Name, k.Name); err != nil {
			return err
		}
	}
	return nil
}

func (o *operator) expireProfile(ctx context.Context, p app.Profile, args []string) error {
	at, err := parseExpiry(args[0], time.Now())
	if err != nil {
		return err
	}
	_, err = o.Access.Lifecycle.SetExpiry(ctx, o.by, p.Handle, at)
	return err
}

// parseExpiry reads a day (its end, UTC), a time, or a span such as 30d or 12h. "never" and "" are
// the zero time.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	if text == "" || text == "never" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 36500 {
			return now.AddDate(0, 0, n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(d), nil
	}
	return time.Time{}, cli.UsageError{Message: fmt.Sprintf(
		"%q is not a time; write 2026-12-31, 2026-12-31T18:00:00Z, 30d, 12h or never", app.Clip(text, 40))}
}

func (o *operator) revokeProfile(ctx context.Context, p app.Profile, _ []string) error {
	_, err := o.Access.Lifecycle.Revoke(ctx, o.by, p.Handle)
	return err
}

func (o *operator) deleteProfile(ctx context.Context, p app.Profile, _ []string) error {
	return o.Access.Profiles.Delete(ctx, o.by, p.Handle)
}

// setMayRun says which code a profile may run.
func (o *operator) setMayRun(ctx context.Context, p app.Profile, args []string) error {
	may, err := app.ParseMayRun(args[0])
	if err != nil {
		return err
	}
	if p, err = o.Access.CodeRules.Set(ctx, o.by, p.Handle, may); err != nil {
		return err
	}
	fmt.Fprintln(o.Out, p.MayRun.Sentence())
	return nil
}

func (o *operator) listProfiles(ctx context.Context, _ []string) error {
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

func (o *operator) showProfile(ctx context.Context, p app.Profile, _ []string) error {
	w := cli.Table(o.Out, "profile", p.ID)
	w.Row("handle", p.Handle)
	w.Row("state", string(p.State(time.Now())))
	w.Row("description", strconv.Quote(p.Description))
	w.Row("pairing code", p.PairingCode)
	w.Row("created", cli.Joined(" from ", cli.Stamp(p.CreatedAt), p.CreatedFrom))
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
		w.Row("key", cli.Joined(" ", k.Name+" → "+linked, string(k.CredentialMode)))
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
	granted, requested, err := o.Access.Grants.Told(ctx, p)
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
