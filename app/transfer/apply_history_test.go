package transfer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

func passkey(name string) app.Passkey {
	return app.Passkey{ID: []byte(name), Name: name, Host: "airlock.example.com", PublicKey: []byte{1}, SignCount: 3}
}

func withPeople(t *testing.T) (h *fixture, anna, vera auth.Session) {
	t.Helper()
	h = newFixture(t, "aaaa")
	anna = joined(t, h.Desk, must[app.Secret](t)(h.Desk.AdminToken.Ensure(t.Context(), app.Secret{})), "anna",
		"plum orbit tractor")
	token, _, err := h.Desk.Invitations.Create(t.Context(), person(), app.RoleViewer)
	h.No(err)
	vera = joined(t, h.Desk, token, "vera", "plum orbit tractor")
	h.setPasskeys(anna, passkey("laptop"))
	return h, anna, vera
}

func (h *fixture) setPasskeys(x auth.Session, list ...app.Passkey) {
	h.T.Helper()
	h.No(h.Store.Write(h.T.Context(), func(tx *store.Tx) error {
		return tx.People.SetPasskeys(h.T.Context(), x.PersonID, list)
	}))
}

func TestRestoreBringsRolesAndPasskeys(t *testing.T) {
	h, anna, vera := withPeople(t)
	fresh := newFixture(t, "bbbb")
	must[content.Counts](t)(fresh.Fill(t.Context(), upload(h.export(all())), nil))
	list := must[[]app.Passkey](t)(fresh.Desk.Passkeys.List(t.Context(), anna.PersonID))
	if diff := cmp.Diff([]app.Passkey{passkey("laptop")}, list); diff != "" {
		t.Error(diff)
	}
	for _, p := range must[[]auth.Person](t)(fresh.Desk.People.List(t.Context())) {
		if (p.Role == app.RoleViewer) != (p.ID == vera.PersonID) {
			t.Errorf("%+v", p)
		}
	}
}

func TestFilesWithImpossiblePeopleAreRefused(t *testing.T) {
	h, _, _ := withPeople(t)
	for name, change := range map[string]func(*store.PersonRow){
		"no role":        func(p *store.PersonRow) { p.Role = "" },
		"unknown role":   func(p *store.PersonRow) { p.Role = "root" },
		"no passkeys":    func(p *store.PersonRow) { p.Passkeys = "" },
		"no list":        func(p *store.PersonRow) { p.Passkeys = "{}" },
		"unknown member": func(p *store.PersonRow) { p.Passkeys = `[{"id":"YQ==","public_key":"YQ==","x":1}]` },
		"no key":         func(p *store.PersonRow) { p.Passkeys = `[{"id":"YQ=="}]` },
		"twice": func(p *store.PersonRow) {
			p.Passkeys = `[` + strings.Repeat(`{"id":"YQ==","public_key":"YQ=="},`, 1) + `{"id":"YQ==","public_key":"YQ=="}]`
		},
		"too many": func(p *store.PersonRow) {
			p.Passkeys = `[` + strings.Repeat(`{"id":"YQ==","public_key":"YQ=="},`, 21) + `{}]`
		},
		"a name that lies": func(p *store.PersonRow) { p.Passkeys = `[{"id":"YQ==","public_key":"YQ==","name":"a\u202eb"}]` },
	} {
		t.Run(name, func(t *testing.T) {
			file := forge(t, h, func(r *content.Record) bool {
				if r.Person != nil {
					change(r.Person)
				}
				return true
			})
			if _, err := newFixture(t, "bbbb").Fill(t.Context(), upload(file), nil); app.CodeOf(err) != app.CodeInvalidField &&
				app.CodeOf(err) != app.CodeConflict {
				t.Error(err)
			}
		})
	}
}

// An older copy replaces a later state, where an owner became a viewer and a passkey was removed.
func TestACopyGivesNoRoleAndNoPasskeyBack(t *testing.T) {
	for _, kind := range []string{"point", "file"} {
		t.Run(kind, func(t *testing.T) {
			h, anna, vera := withPeople(t)
			h.No(h.Desk.People.SetRole(t.Context(), anna, vera.PersonID, app.RoleOwner))
			copied := filepath.Join(t.TempDir(), "copy")
			if kind == "file" {
				h.No(os.WriteFile(copied, h.export(all()), 0o600))
			} else {
				h.No(os.Rename(filepath.Join(h.Dir, must[string](t)(h.keepRestorePoint(t.Context()))), copied))
			}
			h.No(h.Desk.People.SetRole(t.Context(), anna, vera.PersonID, app.RoleViewer))
			h.setPasskeys(anna, passkey("phone"))
			h.No(h.Store.Close())
			r := Restore{Dir: h.Dir, Keyring: h.Ring, Replace: true, By: person()}
			var err error
			if kind == "file" {
				_, err = r.FromFile(t.Context(), must[Upload](t)(OpenFile(copied, app.NewSecret(words))), nil)
			} else {
				_, err = r.FromPoint(t.Context(), copied)
			}
			h.No(err)
			desk, _ := opened(t, h.Dir, h.Ring)
			for _, p := range must[[]auth.Person](t)(desk.People.List(t.Context())) {
				if (p.Role == app.RoleViewer) != (p.ID == vera.PersonID) {
					t.Errorf("%+v", p)
				}
			}
			list := must[[]app.Passkey](t)(desk.Passkeys.List(t.Context(), anna.PersonID))
			if diff := cmp.Diff([]app.Passkey{passkey("phone")}, list); diff != "" {
				t.Error(diff)
			}
		})
	}
}
