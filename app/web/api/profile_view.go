package api

import (
	"time"

	"github.com/computclaw/airlock/app"
)

type profileView struct {
	ProfileID   string     `json:"profile_id" about:"self where the call named self"`
	Description string     `json:"description"`
	Locked      bool       `json:"locked"`
	Revoked     bool       `json:"revoked"`
	State       app.State  `json:"state"`
	MayRun      app.MayRun `json:"may_run" about:"a person chooses it"`
	ExpiresAt   *time.Time `json:"expires_at"`
	Keys        []keyView  `json:"keys"`
	Hosts       []hostView `json:"hosts"`
	SetupURL    string     `json:"setup_url"`
	PairingCode string     `json:"pairing_code,omitempty"`
	CreatedAt   time.Time  `json:"created_at"`
}

type keyView struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	ValueExists bool     `json:"value_exists"`
	Mode        app.Mode `json:"mode,omitempty" about:"of the credential, else the wish of NewKey"`
	Hosts       []string `json:"hosts,omitempty" about:"where its value may go"`
}

type hostView struct {
	Host     string       `json:"host"`
	Ports    []int        `json:"ports"`
	Protocol app.Protocol `json:"protocol,omitempty"`
	Reason   string       `json:"reason,omitempty"`
	Allowed  bool         `json:"allowed" about:"by a person"`
	Declined *time.Time   `json:"declined_at,omitempty" about:"a person said no; ask again only with a new reason"`
}

func viewProfile(p app.Profile, base string, now time.Time) profileView {
	v := profileView{
		ProfileID: p.ID, Description: p.Description, Locked: p.Locked, Revoked: p.Revoked, State: p.State(now),
		MayRun:    p.MayRun,
		ExpiresAt: optionalTime(p.ExpiresAt), Keys: []keyView{}, Hosts: []hostView{},
		SetupURL: base + "/ui/profiles/" + p.Handle, PairingCode: p.PairingCode, CreatedAt: p.CreatedAt.UTC(),
	}
	for _, k := range p.Keys {
		key := keyView{Name: k.Name, Description: k.Description, ValueExists: k.ValueExists, Mode: k.CredentialMode}
		if key.Mode == "" {
			key.Mode = k.Mode
		}
		for _, h := range k.EffectiveHosts() {
			key.Hosts = append(key.Hosts, h.String())
		}
		v.Keys = append(v.Keys, key)
	}
	for _, h := range p.Hosts {
		v.Hosts = append(v.Hosts, hostView{
			Host: h.Name, Ports: h.Ports, Protocol: h.Protocol, Reason: h.Reason, Allowed: h.Allowed,
		})
	}
	for _, d := range p.Declined {
		v.Hosts = append(v.Hosts, hostView{
			Host: d.Name, Ports: d.Ports, Protocol: d.Protocol, Reason: d.Reason, Declined: optionalTime(d.At),
		})
	}
	return v
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
