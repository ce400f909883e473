package transfer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// keeper takes from a copy of a database what its later state doesn't have.
type keeper struct {
	now   accessSnapshot // of the later state
	tx    *store.Tx
	ring  *secrets.Keyring
	by    app.Actor
	at    time.Time
	unfit map[string]struct{} // ids of credentials that are gone in the later state, or can't have its limits
	moved map[string]struct{} // ids of credentials that may name another host than in the later state
	said  []string
}

// openings makes people and settings those of the later state.
func (k *keeper) openings(ctx context.Context) error {
	if err := k.tx.People.Replace(ctx, k.now.people); err != nil {
		return err
	}
	for _, key := range snapshotSettings() {
		set, ok := k.now.settings[key]
		var err error
		if ok {
			set.Value = append([]byte{}, set.Value...) // an empty value is read as nil, which the column refuses
			err = k.tx.Settings.Set(ctx, set.UpdatedAt, set)
		} else {
			err = k.tx.Settings.Delete(ctx, key)
		}
		if err != nil {
			return err
		}
	}
	return k.backupSettings(ctx)
}

// backupSettings makes the target and the passphrase of backups those of the later state: the copy's
// passphrase may be the one that leaked. If the instance key can't open them, backups are off.
func (k *keeper) backupSettings(ctx context.Context) error {
	set, ok := k.now.settings[SettingBackup]
	if !ok {
		return k.tx.Settings.Delete(ctx, SettingBackup)
	}
	plain, err := k.ring.Open(secrets.Settings, SettingBackup, set.Value)
	if err != nil {
		k.said = append(k.said, "Backups are off: another instance key sealed where they go. Set them up again.")
		return k.tx.Settings.Delete(ctx, SettingBackup)
	}
	set.Value = k.ring.Seal(secrets.Settings, SettingBackup, plain)
	return k.tx.Settings.Set(ctx, set.UpdatedAt, set)
}

// credentials gives each credential the narrower limits of both.
func (k *keeper) credentials(ctx context.Context) error {
	list, err := k.tx.Credentials.List(ctx)
	if err != nil {
		return err
	}
	for _, c := range list {
		now, ok := k.now.credentials[c.ID]
		if c.Version != now.Version || !c.ValueSetAt.Equal(now.ValueSetAt) || c.Source != now.Source ||
			c.Reference != now.Reference {
			k.moved[c.ID] = struct{}{}
		}
		seen, err := k.visit(ctx, c, k.now.belonged[c.ID])
		if err != nil {
			return err
		}
		less := c
		if ok {
			less, ok = restrictCredential(c, now)
		}
		if ok && less.Mode != c.Mode {
			if ok, err = k.fits(ctx, less); err != nil {
				return err
			}
		}
		if !ok {
			k.unfit[c.ID] = struct{}{}
			less = c // nothing that may run has it
		}
		if limits(less) == limits(c) && seen.Equal(c.UpdatedAt) {
			continue
		}
		less.UpdatedAt = k.at
		if err := k.tx.Credentials.Update(ctx, less, seen); err != nil {
			return err
		}
		if limits(less) == limits(c) {
			continue
		}
		if err := k.tx.Credentials.TouchProfiles(ctx, c.ID, k.at); err != nil {
			return err
		}
		k.said = append(k.said, fmt.Sprintf("The credential %s is again %s.", c.Name, limits(less)))
		event := app.NewEvent(k.at, k.by, "credential.change", c.Name,
			"Restricted to "+limits(less)+": the database that a copy took the place of allowed no more.")
		if err := k.tx.Audit(ctx, event); err != nil {
			return err
		}
	}
	return nil
}

// visit adds hosts to a credential, from which the caller takes them away again. So the value stays
// among those that their answers are searched for: the later state may have sent it there. It
// returns the credential's new UpdatedAt.
func (k *keeper) visit(ctx context.Context, c app.Credential, hosts []app.Host) (time.Time, error) {
	wider := c
	wider.Hosts = slices.Clone(c.Hosts)
	for _, h := range hosts {
		if !slices.ContainsFunc(wider.Hosts, func(o app.Host) bool { return app.SameHost(o, h) }) {
			wider.Hosts = append(wider.Hosts, h)
		}
	}
	if len(wider.Hosts) == len(c.Hosts) || c.Mode != app.ModeSealed {
		return c.UpdatedAt, nil
	}
	wider.UpdatedAt = k.at
	return k.at, k.tx.Credentials.Update(ctx, wider, c.UpdatedAt)
}

// restrictCredential returns c with no more than the limits of now. ok is false if nothing is left
// that could be said of a credential.
func restrictCredential(c, now app.Credential) (less app.Credential, ok bool) {
	switch {
	case now.Mode == app.ModeInjected && c.Mode == app.ModePlain:
		c.Mode = app.ModeInjected
	case now.Mode == app.ModeSealed && c.Mode != app.ModeSealed:
		c.Mode, c.Hosts, c.Places, c.Headers, c.PlainHTTP = now.Mode, now.Hosts, now.Places, now.Headers, now.PlainHTTP
	case now.Mode == app.ModeSealed:
		c.Hosts = overlaps(c.Hosts, now.Hosts)
		c.Places = inBoth(c.Places, now.Places)
		c.PlainHTTP = c.PlainHTTP && now.PlainHTTP
		if !slices.Equal(c.Headers, now.Headers) {
			c.Headers = inBoth(app.SealedHeaders(c.Headers), app.SealedHeaders(now.Headers))
			return c, len(c.Hosts) > 0 && len(c.Headers) > 0 // no names would mean the usual ones
		}
		return c, len(c.Hosts) > 0
	}
	return c, true
}

// fits reports whether the value that the copy has may have the credential's mode.
func (k *keeper) fits(ctx context.Context, c app.Credential) (bool, error) {
	current, err := k.tx.Values.Current(ctx, []string{c.ID})
	v, ok := current[c.ID]
	if err != nil || !ok {
		return err == nil, err
	}
	value, err := k.ring.Open(secrets.Values, secrets.ValueRow(c.ID, v.Version), v.Sealed)
	if err != nil {
		return false, fmt.Errorf("transfer: value of credential %s: %w", c.Name, err)
	}
	return app.CheckValue(c.Mode, app.NewSecret(string(value))) == nil, nil
}

// limits says what a credential's value may do.
func limits(c app.Credential) string {
	if c.Mode != app.ModeSealed {
		return string(c.Mode)
	}
	said := "sealed for " + app.BriefHosts(c.Hosts) + ", put into " + c.PlaceNames()
	if c.PlainHTTP {
		said += ", also over plain HTTP"
	}
	return said
}

// profile revokes, shortens and restricts one profile.
func (k *keeper) profile(ctx context.Context, handle string) error {
	p, err := k.tx.Profiles.ByHandle(ctx, handle)
	if err != nil && k.now.profiles == nil {
		return nil //nolint:nilerr // what can't be read grants nothing, and must not keep the rest from coming back
	}
	if err != nil {
		return err
	}
	seen, revokedAt, changed := p.UpdatedAt, time.Time{}, false
	now, here := k.now.profiles[handle]
	if k.now.profiles != nil && !p.Revoked && (!here || now.revoked) {
		revokedAt, changed = k.at, true
		if here {
			revokedAt = time.UnixMilli(now.revokedAt).UTC()
		}
		err = k.revoke(ctx, &p, "it was revoked or deleted in the database that a copy took the place of")
	}
	if end := time.UnixMilli(now.expires).UTC(); now.expires > 0 && (p.ExpiresAt.IsZero() || p.ExpiresAt.After(end)) {
		p.ExpiresAt, changed = end, true
	}
	if may := p.MayRun.Narrower(now.mayRun); now.mayRun != "" && may != p.MayRun {
		p.MayRun, changed = may, true
	}
	if err == nil && p.Locked && !p.Revoked {
		var less bool
		less, err = k.restrict(ctx, &p, now.policy)
		if changed = changed || less; p.Revoked {
			revokedAt = k.at
		}
	}
	if err == nil && changed {
		_, err = k.tx.Profiles.Update(ctx, p, revokedAt, seen, k.at)
	}
	return err
}

func (k *keeper) revoke(ctx context.Context, p *store.Profile, why string) error {
	p.Revoked = true
	k.said = append(k.said, fmt.Sprintf("The profile %s is revoked: %s.", p.Handle, why))
	return k.tx.Audit(ctx, app.NewEvent(k.at, k.by, "profile.revoke", p.Handle, "Revoked: "+why+"."))
}

// restrict takes from a locked profile's policy what its page doesn't show and, if there is a later
// state, what its policy there doesn't grant. A profile for which no policy is left is revoked.
func (k *keeper) restrict(ctx context.Context, p *store.Profile, now app.Policy) (changed bool, err error) {
	policy, err := k.tx.Policies.Version(ctx, p.Handle, p.Policy)
	if err != nil {
		return false, nil //nolint:nilerr // as above
	}
	less, shown := policy, app.AllowedHosts(p.Hosts)
	less.Hosts = overlaps(shown, policy.Hosts)
	if k.now.profiles != nil {
		var ok bool
		if less, ok = k.restrictPolicy(less, now); !ok {
			return true, k.revoke(ctx, p, "what it lost since the copy was made can't be taken from the copy alone")
		}
	}
	if less.Digest() == policy.Digest() && app.SameHosts(less.Hosts, shown) {
		return false, nil
	}
	p.Policy++
	p.Placement = less.Placement
	less.Version, less.CreatedAt, less.CreatedBy = p.Policy, k.at, k.by
	shown, less.Hosts = less.Hosts, app.SortedHosts(app.WithoutReasons(less.Hosts))
	if err := k.tx.Policies.Insert(ctx, p.Handle, less); err != nil {
		return false, err
	}
	if err := k.tx.Profiles.DecideHosts(ctx, p.Row, shown, nil, k.by, k.at); err != nil {
		return false, err
	}
	reaches := app.BriefHosts(less.Hosts)
	if reaches == "" {
		reaches = "no host"
	}
	k.said = append(k.said,
		fmt.Sprintf("The profile %s lost what the copy alone granted. It reaches %s.", p.Handle, reaches))
	return true, k.tx.Audit(ctx, app.NewEvent(k.at, k.by, "profile.hosts", p.Handle,
		"Restricted: a copy granted more than was shown, or more than the database that it took the place of. It reaches "+
			reaches+"."))
}

// restrictPolicy returns the policy with no more than now grants; {KEY} hosts go if their value is
// another one there. ok is false if there is no such policy.
func (k *keeper) restrictPolicy(policy, now app.Policy) (less app.Policy, ok bool) {
	less = policy
	less.Keys = slices.Clone(policy.Keys)
	less.Hosts = overlaps(policy.Hosts, now.Hosts)
	for i, g := range less.Keys {
		at := slices.IndexFunc(now.Keys, func(n app.Grant) bool { return n.Key == g.Key })
		if _, unfit := k.unfit[g.CredentialID]; unfit || at < 0 || now.Keys[at].CredentialID != g.CredentialID {
			return less, false
		}
		if limit := now.Keys[at].Hosts; !app.SameHosts(g.Hosts, limit) {
			if less.Keys[i].Hosts = app.Within(g.Hosts, limit); len(less.Keys[i].Hosts) == 0 {
				return less, false
			}
		}
		if _, moved := k.moved[g.CredentialID]; moved {
			less.Hosts = slices.DeleteFunc(less.Hosts, func(h app.Host) bool { return h.KeyReference() == g.Key })
		}
	}
	switch {
	case policy.Placement == app.Placement{}:
		less.Placement = now.Placement
	case now.Placement != app.Placement{} && now.Placement != policy.Placement:
		return less, false
	}
	return less, true
}

// overlaps returns what two lists of entries have in common. Entries that are equal keep their
// reasons; entries of different protocols have nothing in common.
func overlaps(list, others []app.Host) (both []app.Host) {
	for _, h := range list {
		if plain := app.WithoutReasons([]app.Host{h})[0]; slices.ContainsFunc(others, func(o app.Host) bool {
			o.Reason = ""
			return app.SameHost(o, plain)
		}) {
			both = append(both, h)
			continue
		}
		for _, o := range others {
			part, ok := h.Overlap(o)
			known := func(b app.Host) bool { return b.String() == part.String() }
			if ok && h.Protocol == o.Protocol && !slices.ContainsFunc(both, known) {
				both = append(both, part)
			}
		}
	}
	return both
}

func inBoth[T comparable](list, others []T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !slices.Contains(others, x) })
}
