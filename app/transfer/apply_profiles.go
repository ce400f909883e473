package transfer

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

func (m *importer) profile(ctx context.Context, f content.Profile) error {
	here, exists := m.local(f)
	if exists && here.Handle == f.Handle {
		m.homes[f.Handle] = &here.ProfileRow.ID
	}
	if !m.takes("profile:" + f.Handle) {
		m.refused[f.Handle] = m.homes[f.Handle] == nil
		return nil
	}
	m.report.Profiles++
	m.report.Changed = append(m.report.Changed, f.Handle)
	if exists && here.Locked {
		return m.overwriteProfile(ctx, f)
	}
	m.added[f.Handle] = true
	if exists {
		if err := m.tx.Profiles.Delete(ctx, here.ProfileRow.ID); err != nil {
			return err
		}
		if f.Revoked {
			if err := m.noteRevoked(ctx, f.Handle); err != nil {
				return err
			}
		}
	}
	return m.newProfile(ctx, f, here.UpdatedAt)
}

// noteRevoked reports and audits that a profile is newly revoked. A running server learns from the
// log which executions to stop.
func (m *importer) noteRevoked(ctx context.Context, handle string) error {
	m.report.Revoked = append(m.report.Revoked, handle)
	return m.note(ctx, "profile.revoke", handle, "Revoked, as a file says.")
}

// newProfile loads a profile of the file, linked to present credentials. before is the last change
// of the profile it replaces; 0 if there is none.
func (m *importer) newProfile(ctx context.Context, f content.Profile, before int64) error {
	version, err := m.versionHere(ctx, f)
	if err != nil {
		return err
	}
	profile := content.Encoded(f).ProfileRow
	profile.Lookup = m.ring.Lookup(secrets.Profiles, f.ID)
	profile.SealedID = m.ring.Seal(secrets.Profiles, secrets.ProfileRow(f.Handle), []byte(f.ID))
	profile.Locked, profile.Policy = false, version // see LockLoaded
	profile.UpdatedAt = max(m.changeTime(f.UpdatedAt), before+1)
	id, added, err := m.tx.Load(ctx, profile)
	if err == nil && !added {
		err = content.Contradiction("profile "+f.Handle, "is here already", nil)
	}
	if err != nil {
		return err
	}
	for i, k := range f.Keys {
		row := content.Encoded(k).ProfileKeyRow
		row.ProfileID, row.Position = id, i
		if to, ok := m.ids[k.Credential]; ok {
			row.CredentialID = &to
		}
		if err := m.addNew(ctx, row); err != nil {
			return err
		}
	}
	for i, h := range f.Hosts {
		row := content.Encoded(h).ProfileHostRow
		row.ProfileID, row.Entry, row.Position = id, h.Host.String(), i
		if err := m.addNew(ctx, row); err != nil {
			return err
		}
	}
	if f.Locked {
		if err := m.tx.Profiles.LockLoaded(ctx, id); err != nil {
			return err
		}
	}
	m.homes[f.Handle] = &id
	return m.note(ctx, "profile.import", f.Handle, "Added from a file.")
}

// changeTime returns the time of a profile's last change, which includes an import. A page opened
// earlier must not decide on unseen changes.
func (m *importer) changeTime(file int64) int64 {
	now := m.now.UnixMilli()
	if m.fresh {
		return min(file, now)
	}
	return now
}

// versionHere returns the current version here of the file's policy. Versions outlive their profile
// and never change. If there is such a one already, the file's policy becomes the next version.
func (m *importer) versionHere(ctx context.Context, f content.Profile) (int, error) {
	last, was := m.gone[f.Handle]
	if !was || f.Policy > last {
		return f.Policy, nil
	}
	policy := m.mapPolicy(m.in.Current(f))
	policy.Version, policy.CreatedAt, policy.CreatedBy = last+1, m.now, m.by
	return policy.Version, m.tx.Policies.Insert(ctx, f.Handle, policy)
}

// overwriteProfile gives a locked profile the file's name, end, revocation and policy. The policy
// becomes the next version.
func (m *importer) overwriteProfile(ctx context.Context, f content.Profile) error {
	p, err := m.tx.Profiles.ByHandle(ctx, f.Handle)
	if err != nil {
		return err
	}
	policy := m.mapPolicy(m.in.Current(f))
	now, err := m.tx.Policies.Version(ctx, p.Handle, p.Policy)
	if err != nil {
		return err
	}
	seen, revokedAt := p.UpdatedAt, time.Time{}
	p.Description, p.Placement, p.MayRun = f.Description, policy.Placement, app.MayRun(f.MayRun)
	p.ExpiresAt = time.Time{}
	if f.ExpiresAt > 0 {
		p.ExpiresAt = time.UnixMilli(f.ExpiresAt).UTC()
	}
	if f.Revoked {
		p.Revoked, revokedAt = true, m.now
		if err := m.noteRevoked(ctx, f.Handle); err != nil {
			return err
		}
	}
	if policy.Digest() != now.Digest() {
		p.Policy++
		policy.Version, policy.CreatedAt, policy.CreatedBy = p.Policy, m.now, m.by
		if err := m.tx.Policies.Insert(ctx, p.Handle, policy); err != nil {
			return err
		}
		if err := m.tx.Profiles.DecideHosts(ctx, p.Row, policy.Hosts, nil, m.by, m.now); err != nil {
			return err
		}
	}
	if _, err := m.tx.Profiles.Update(ctx, p, revokedAt, seen, m.now); err != nil {
		return err
	}
	return m.note(ctx, "profile.import", f.Handle, "Overwritten from a file.")
}

// mapPolicy returns a policy with this instance's credential ids. A grant of a credential outside
// the file points nowhere.
func (m *importer) mapPolicy(p app.Policy) app.Policy {
	keys := make([]app.Grant, len(p.Keys))
	for i, g := range p.Keys {
		keys[i] = g
		keys[i].CredentialID = m.credentialID(g.CredentialID)
	}
	p.Keys = keys
	return p
}

// credentialID returns this instance's id for a credential of the file. Unknown or refused
// credentials get an id that nothing has here.
func (m *importer) credentialID(id string) string {
	if to, ok := m.ids[id]; ok {
		return to
	}
	if _, here := m.names[id]; here {
		return app.NewID()
	}
	return id
}

// policies loads the versions of profiles that are as the file says, and of those that both sides
// have deleted. Versions never change, so a present one counts.
func (m *importer) policies(ctx context.Context) error {
	for handle, versions := range m.in.Policies {
		if _, ok := m.home(handle); !ok {
			continue
		}
		if _, here := m.profiles[handle]; here && !m.added[handle] {
			continue
		}
		for _, v := range versions {
			body := m.mapPolicy(v.Body)
			row := store.PolicyRow{ProfileHandle: handle, Version: body.Version, Body: content.JSON(body), Digest: body.Digest(),
				CreatedBy: content.JSON(v.CreatedBy), CreatedAt: v.CreatedAt}
			if _, _, err := m.tx.Load(ctx, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// home reports whether a handle's history is taken, and its profile's row.
func (m *importer) home(handle string) (*int64, bool) {
	if row, ok := m.homes[handle]; ok {
		return row, true
	}
	_, here := m.profiles[handle] // under another id
	return nil, !here && !m.refused[handle]
}
