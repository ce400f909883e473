package instance_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/egress/ca"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
)

func TestTheAuthorityStays(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	first := accesstest.Must[*ca.Authority](t)(d.Authority.Get(ctx))
	again := accesstest.Must[*ca.Authority](t)(d.Authority.Get(ctx))
	if !bytes.Equal(first.Certificate(), again.Certificate()) || !bytes.Equal(first.Key(), again.Key()) {
		t.Error("the next start has another authority")
	}
	d.Pass(first.Expires().Sub(d.Now()) - instance.RenewBefore - time.Hour)
	if late := accesstest.Must[*ca.Authority](t)(d.Authority.Get(ctx)); !bytes.Equal(first.Certificate(),
		late.Certificate()) {
		t.Error("it was replaced more than a year before its end")
	}
	d.Pass(2 * time.Hour)
	renewed := accesstest.Must[*ca.Authority](t)(d.Authority.Get(ctx))
	if bytes.Equal(first.Certificate(), renewed.Certificate()) || bytes.Equal(first.Key(), renewed.Key()) ||
		!renewed.Expires().After(first.Expires()) {
		t.Error("it was not replaced in its last year")
	}
	if n := len(slices.DeleteFunc(d.Actions(), func(a string) bool { return a != "authority.create" })); n != 2 {
		t.Errorf("%d audit events, want 2", n)
	}
}

func TestTheAuthoritysKeyIsSealed(t *testing.T) {
	d := newDesk(t)
	key := accesstest.Must[*ca.Authority](t)(d.Authority.Get(t.Context())).Key()
	for _, name := range []string{"airlock.db", "airlock.db-wal"} {
		data, err := os.ReadFile(filepath.Join(d.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range [][]byte{key, key[40:72], []byte(base64.StdEncoding.EncodeToString(key))} {
			if bytes.Contains(data, form) {
				t.Errorf("%s holds the key", name)
			}
		}
	}
}

func TestADamagedAuthorityIsNotReplaced(t *testing.T) {
	other, err := secrets.NewKeyring(app.NewSecret("another instance key of 32 characters"))
	if err != nil {
		t.Fatal(err)
	}
	for name, statement := range map[string]string{
		"no key":         "DELETE FROM settings WHERE key = 'authority.key'",
		"no certificate": "DELETE FROM settings WHERE key = 'authority.certificate'",
		"changed":        "UPDATE settings SET value = zeroblob(100) WHERE key = 'authority.key'",
		"swapped": "UPDATE settings SET value = (SELECT value FROM settings WHERE key = 'keyring.lookup') WHERE key " +
			"= 'authority.key'",
		"not a PEM": "UPDATE settings SET value = x'00' WHERE key = 'authority.certificate'",
	} {
		d := newDesk(t)
		accesstest.Must[*ca.Authority](t)(d.Authority.Get(t.Context()))
		if _, err := d.Raw().Exec(statement); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Authority.Get(t.Context()); err == nil {
			t.Errorf("%s: it was loaded or replaced", name)
		}
	}
	d := newDesk(t)
	accesstest.Must[*ca.Authority](t)(d.Authority.Get(t.Context()))
	if _, err := instance.NewAuthority(d.Store, other, d.Now).Get(t.Context()); err == nil {
		t.Error("it was opened with another instance key")
	}
}
