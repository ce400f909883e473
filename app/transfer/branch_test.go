package transfer

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// A profile moved here, got other hosts here and was deleted. It comes back from the first instance
// as the preview says, not as it was here last; and its hosts can be changed again.
func TestDeletedProfileComesBackAsTheFileHasIt(t *testing.T) {
	for name, versions := range map[string]int{"another second version": 1, "more versions": 2} {
		t.Run(name, func(t *testing.T) {
			a, b, p := twins(t)
			for i := range versions {
				must[app.Profile](t)(b.Desk.Hosts.Set(t.Context(), person(), p.Handle,
					hosts(t, "api.stripe.com", []string{"here.example", "also-here.example"}[i]), nil))
			}
			must[app.Profile](t)(b.Desk.Lifecycle.Revoke(t.Context(), person(), p.Handle))
			b.No(b.Desk.Profiles.Delete(t.Context(), person(), p.Handle))
			must[app.Profile](t)(a.Desk.Hosts.Set(t.Context(), person(), p.Handle, hosts(t, "api.stripe.com", "there.example"),
				nil))
			file, key := a.export(all()), "profile:"+p.Handle
			says(t, said(state(b.plan(file), key)), "Reaches: there.example on ports 80 and 443")
			b.take(file, yesTo(key))

			reaches := func() string {
				now := must[app.Profile](t)(b.Desk.Profiles.ByID(t.Context(), p.ID))
				return app.BriefHosts(must[app.Policy](t)(b.Desk.Binder.Policy(t.Context(), now.Handle, now.Policy)).Hosts)
			}
			if got := reaches(); got != "api.stripe.com, there.example" {
				t.Errorf("it reaches %s", got)
			}
			must[app.Profile](t)(b.Desk.Hosts.Set(t.Context(), person(), p.Handle, hosts(t, "api.stripe.com"), nil))
			if got := reaches(); got != "api.stripe.com" {
				t.Errorf("after a change it reaches %s", got)
			}
			if len(b.Values(p)) != 2 {
				t.Error("it has not its values")
			}
		})
	}
}

// What was locked here and was deleted does not come back from a file that has it from before the
// lock, with keys that could still be changed.
func TestDeletedLockedProfileStaysLocked(t *testing.T) {
	h := newFixture(t, "aaaa")
	p := h.Profile("open", nil, "api.example.com")
	file := h.export(all())
	must[app.Profile](t)(h.Desk.Lifecycle.Lock(t.Context(), person(), p.Handle, p.UpdatedAt))
	must[app.Profile](t)(h.Desk.Lifecycle.Revoke(t.Context(), person(), p.Handle))
	h.No(h.Desk.Profiles.Delete(t.Context(), person(), p.Handle))
	item := state(h.plan(file), "profile:"+p.Handle)
	if item.State != StateBlocked || !strings.Contains(strings.Join(item.Why, ""), "It was locked here") {
		t.Errorf("%+v", item)
	}
	if report := h.take(file, yesTo("profile:"+p.Handle)); report.Profiles != 0 {
		t.Errorf("%+v", report)
	}
}

// A file that goes on with an audit log which its maker has, under that log's label, can't be told
// from the true one. So this instance's own log says which import, and whose, brought what.
func TestEachArchivedEventIsTracedToItsImport(t *testing.T) {
	old := newFixture(t, "aaaa")
	old.Credential("TRUE", "value-of-true")
	file := old.export(all())
	forger := newFixture(t, "aaaa")
	must[content.Counts](t)(forger.Fill(t.Context(), upload(file), nil))
	forger.Credential("FORGED", "value-of-forged")

	h := newFixture(t, "bbbb")
	h.take(file, Choice{History: true})
	mallory := app.Actor{Kind: app.ActorPerson, Name: "mallory"}
	forged := forger.export(all())
	must[Report](t)(h.Import(t.Context(), mallory, upload(forged), Choice{History: true}, h.plan(forged).Digest, nil))
	h.take(file, Choice{History: true}) // brings nothing new
	var got []app.Event
	for _, e := range must[[]app.Event](t)(h.Desk.Audit.Latest(t.Context(), 1000)) {
		if e.Action == "transfer.archive" {
			got = append([]app.Event{e}, got...)
		}
	}
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []struct{ by, says string }{{"anna", "1 to 2, "}, {"mallory", "3 to 4, "}} {
		if got[i].Subject != "aaaa" || got[i].Actor.Name != want.by || !strings.Contains(got[i].Detail, "number "+want.says) {
			t.Errorf("%+v, want %+v", got[i], want)
		}
	}
}

// An instance was restored from an older file, so its audit log has two continuations. The archive
// keeps the one that came first, as one chain, and says that the other's end is left out: mixed they
// would be no chain, and every backup from then on would fail.
func TestALogThatGoesOnOtherwiseIsLeftOut(t *testing.T) {
	old := newFixture(t, "aaaa")
	old.Credential("BEFORE", "value-of-before")
	earlier := old.export(all())
	restored := newFixture(t, "aaaa") // with the same key, so under the same label
	must[content.Counts](t)(restored.Fill(t.Context(), upload(earlier), nil))
	old.Credential("LOST", "value-of-lost")
	restored.Credential("SINCE", "value-of-since")
	other := newFixture(t, "bbbb")
	other.take(old.export(all()), Choice{History: true})
	other.take(restored.export(all()), Choice{History: true})
	kept := ""
	other.No(other.Store.Read(t.Context(), func(tx *store.Tx) error {
		return tx.Events.EachArchived(t.Context(), func(_ string, e store.EventRow) error {
			if e.Action == "credential.create" {
				kept += e.Subject + " "
			}
			return nil
		})
	}))
	if kept != "BEFORE LOST " {
		t.Errorf("kept %s", kept)
	}
	said := ""
	for _, e := range must[[]app.Event](t)(other.Desk.Audit.Latest(t.Context(), 1000)) {
		said += e.Detail + "\n"
	}
	if !strings.Contains(said, "this log goes on otherwise here") {
		t.Errorf("the audit log says %s", said)
	}
	must[content.Counts](t)(newFixture(t, "cccc").Fill(t.Context(), upload(other.export(all())), nil))
}
