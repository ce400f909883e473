package credentials

import (
	"slices"
	"sync"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

const (
	maxSeen  = 100 // values that are remembered of one credential
	maxKnown = 4   // of those, how many an execution's own redactor masks
)

// vaultMemory holds Vault values for masking and searching, until the program ends. Leased ones are
// left out: they end with their execution. It is safe for concurrent use.
type vaultMemory struct {
	mu        sync.Mutex
	numbers   int64                       // that values were given
	sightings int64                       // changes of what join returns
	read      map[string]*vaultCredential // by credential
}

type vaultCredential struct {
	reference app.Reference // that was read last
	values    []vaultValue  // the one that was read last is the last
}

type vaultValue struct {
	number int64 // no two have the same
	secret app.Secret
	hosts  map[app.Mode][]app.Host // of the credential when it was read, by its mode
}

func newVaultMemory() *vaultMemory { return &vaultMemory{read: map[string]*vaultCredential{}} }

// add remembers a credential's value, or of a leased one only that it was read.
func (m *vaultMemory) add(c app.Credential, ref app.Reference, value app.Secret, lent bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	of := m.read[c.ID]
	if of == nil {
		of = &vaultCredential{}
		m.read[c.ID] = of
	}
	of.reference = ref
	if lent {
		return
	}
	var v vaultValue
	if i := slices.IndexFunc(of.values, func(v vaultValue) bool { return v.secret.Equal(value) }); i >= 0 {
		v = of.values[i]
		of.values = slices.Delete(of.values, i, i+1)
	} else {
		m.numbers++
		m.sightings++
		v = vaultValue{m.numbers, value, map[app.Mode][]app.Host{}}
		of.values = of.values[max(len(of.values)+1-maxSeen, 0):]
	}
	of.values = append(of.values, v)
	for _, h := range c.Hosts {
		if !slices.ContainsFunc(v.hosts[c.Mode], func(o app.Host) bool { return app.SameHost(h, o) }) {
			v.hosts[c.Mode] = append(v.hosts[c.Mode], h)
			m.sightings++
		}
	}
}

// latest returns a credential's last few values, newest first. ok is false if another reference was
// read last.
func (m *vaultMemory) latest(credentialID string, ref app.Reference) (values []app.Secret, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	of := m.read[credentialID]
	if of == nil || of.reference != ref {
		return nil, false
	}
	for _, v := range slices.Backward(of.values[max(len(of.values)-maxKnown, 0):]) {
		values = append(values, v.secret)
	}
	return values, true
}

// count grows whenever join would return more.
func (m *vaultMemory) count() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sightings
}

// join adds remembered values to the stored ones, with the count as of then. A remembered value
// belongs to the hosts it was read for and the credential's present ones: a host may have two
// names.
func (m *vaultMemory) join(stored []store.Belonging) (list []member, count int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range stored {
		if b.Mode != app.ModePlain {
			list = append(list, member{Belonging: b})
		}
		if of := m.read[b.CredentialID]; of != nil && b.Superseded == 0 {
			for _, v := range of.values {
				for _, mode := range []app.Mode{app.ModeSealed, app.ModeInjected} {
					if len(v.hosts[mode]) > 0 || mode == b.Mode {
						list = append(list, member{store.Belonging{CredentialID: b.CredentialID,
							Credential: b.Credential, Mode: mode,
							Hosts: slices.Concat(v.hosts[mode], b.Hosts)}, &v})
					}
				}
			}
		}
	}
	return list, m.sightings
}

// forget drops the values of credentials that are gone from the store.
func (m *vaultMemory) forget(before, now []store.Belonging) {
	m.mu.Lock()
	defer m.mu.Unlock()
	here := map[string]bool{}
	for _, b := range now {
		here[b.CredentialID] = true
	}
	for _, b := range before {
		if !here[b.CredentialID] {
			delete(m.read, b.CredentialID)
		}
	}
}
