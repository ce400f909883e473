package runner

import (
	"slices"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/egress/rules"
)

// No box has a route to an address. A script that tried one named by a plain key's value gets one
// ledger row with the next step.
func TestAListedAddressIsToldAsRefused(t *testing.T) {
	t.Parallel()
	hosts := []app.Host{{Name: "10.0.0.5", Ports: []int{5432}, Private: true}}
	gateway := egress.New(egress.Config{})
	h := &liveNetwork{grant: grant{hosts: hosts}, asked: &askedPlaces{}}
	h.session = gateway.Session(egress.Grant{Hosts: hosts}, nil)
	defer h.session.Close()
	h.asked.setLast(9)
	for range 2 {
		h.Asked(t.Context(), "10.0.0.5", 5432, 3)
	}
	rows := h.Ledger()
	if len(rows) != 1 || rows[0].Rule != rules.NotListed || rows[0].Verdict != app.VerdictDenied || rows[0].Line != 3 {
		t.Fatalf("%+v", rows)
	}
	if hint := rules.Explain(rows[0]); hint == nil {
		t.Error("nothing is said about it")
	}
}

func TestAskedPlaces(t *testing.T) {
	t.Parallel()
	var a askedPlaces
	a.setLast(50)
	api := place{"api.test", 443}
	a.note(api, 0)
	a.note(api, 99) // beyond the script
	a.note(api, 12)
	a.note(api, 7)
	a.note(place{"api.test", 8443}, 20)
	a.note(place{"named.test", 0}, 30)
	for p, want := range map[place]int{
		api: 12, {"api.test", 8443}: 20, {"api.test", 0}: 12, {"api.test", 80}: 0,
		{"named.test", 443}: 30, {"other.test", 443}: 0,
	} {
		if got := a.lineOf(p); got != want {
			t.Errorf("%v: line %d, want %d", p, got, want)
		}
	}
	if got := a.ports("api.test"); !slices.Equal(got, []int{443, 8443}) {
		t.Errorf("ports %v", got)
	}
}
