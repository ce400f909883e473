package transfer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// wide are a number of hosts at sixteen ports.
func wide(n int) (list []app.Host) {
	var ports []int
	for port := range 16 {
		ports = append(ports, port+1)
	}
	for i := range n {
		list = append(list, app.Host{Name: fmt.Sprintf("h%d.example", i), Ports: ports,
			Reason: strings.Repeat("r", app.MaxDescription)})
	}
	return list
}

// Agents create profiles, fifty of which may wait for a person, and ask for keys with hosts. All
// that they may have stored together must not make a file that its reader takes for a hostile one:
// every backup would fail.
func TestWhatAgentsAskForLeavesBackupsReadable(t *testing.T) {
	h := newFixture(t, "aaaa")
	agent := app.Actor{Kind: app.ActorAgent, Address: "192.0.2.9"}
	p := must[app.Profile](t)(h.Desk.Profiles.Create(t.Context(), agent, strings.Repeat("d", app.MaxDescription)))
	var keys []app.Key
	for k := range app.MaxKeys {
		keys = append(keys, app.Key{Name: fmt.Sprintf("KEY_%d", k), Description: strings.Repeat("d", app.MaxDescription),
			Hosts: wide(app.MaxHosts)})
	}
	_, err := h.Desk.Keys.Add(t.Context(), agent, p.Handle, keys)
	wantCode(t, "as many hosts as a profile may have, for each key", err, app.CodeInvalidField)
	for i := range keys {
		keys[i].Hosts = wide(app.MaxKeyHosts / app.MaxKeys)
	}
	must[app.Profile](t)(h.Desk.Keys.Add(t.Context(), agent, p.Handle, keys))
	var all scale
	e := &exporter{s: h.Service, out: content.NewWriter(&all)}
	h.No(h.Store.Read(t.Context(), func(tx *store.Tx) error { return e.run(t.Context(), tx) }))
	if waiting := 50; waiting*all.values > content.MaxArrangedValues/2 || waiting*all.bytes > content.MaxArranged/2 {
		t.Errorf("one profile takes %d values and %d bytes", all.values, all.bytes)
	}
}

// A file holds as many values as one may. With what is here already, ours would hold more, and
// every backup would fail.
func TestAnImportOfManyValuesLeavesBackupsReadable(t *testing.T) {
	evil, h := newFixture(t, "aaaa"), newFixture(t, "bbbb")
	list := wide(app.MaxHosts)
	for i := range list {
		list[i].Reason = ""
		list[i] = must[app.Host](t)(list[i].Canonical())
	}
	for range 6 {
		evil.Profile("wide", nil)
	}
	file := forge(t, evil, func(r *content.Record) bool {
		if r.Profile != nil {
			for k := range app.MaxKeys {
				r.Profile.Keys = append(r.Profile.Keys,
					content.Key{ProfileKeyRow: store.ProfileKeyRow{Name: fmt.Sprintf("KEY_%d", k), CreatedAt: 1},
						Hosts: slices.Clone(list)})
			}
		}
		return true
	})
	plan := h.plan(file)
	_, err := h.Import(t.Context(), person(), upload(file), Choice{}, plan.Digest, nil)
	wantCode(t, "import", err, app.CodeTooLarge)
	if err == nil || !strings.Contains(err.Error(), "values") {
		t.Errorf("%v", err)
	}
}
