package transfer

import (
	"bytes"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/rekey"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/app/transfer/transfertest"
	"github.com/computclaw/airlock/store"
)

// A furnished instance is sealed anew: nothing is left of the old key in any column of any table,
// everything opens with the new one alone, and ids are found as before.
func TestNothingIsLeftOfAnOldKey(t *testing.T) {
	h, p, id := furnished(t, "aaaa")
	h.setBackup("a passphrase, say")
	other, _, _ := furnished(t, "bbbb")
	h.take(other.export(all()), Choice{History: true}) // brings keys of marks
	_, err := h.Desk.Authority.Get(t.Context())
	h.No(err)
	h.Credential("STRIPE_KEY", "sk_live_between_0123456789", "api.stripe.com")
	h.Credential("STRIPE_KEY", "sk_live_0123456789abcdef", "api.stripe.com")
	before := content.JSON(comparableRecords(h.dump(all())))
	oldID := h.Ring.KeyIDBytes()

	const newKey = "a new instance key of more than 32 characters"
	h.No(h.Ring.Renew(app.NewSecret(newKey), app.NewSecret("an instance key of more than 32 characters: aaaa")))
	if n := must[int](t)(rekey.Run(t.Context(), h.Store, h.Ring)); n < 20 {
		t.Errorf("%d tokens", n)
	}
	if n := must[int](t)(rekey.Run(t.Context(), h.Store, h.Ring)); n != 0 {
		t.Errorf("%d tokens the second time", n)
	}
	for column, n := range tokensOf(t, h.Dir, oldID) {
		t.Errorf("%s has %d tokens of the old key", column, n)
	}
	alone := must[*secrets.Keyring](t)(secrets.NewKeyring(app.NewSecret(newKey)))
	alone = must[*secrets.Keyring](t)(instance.VerifyKeyring(t.Context(), h.Store, alone))
	again := &fixture{&transfertest.Instance{T: t, Store: h.Store, Ring: alone,
		Desk: access.New(access.Config{Store: h.Store, Keyring: alone})},
		New(Config{Store: h.Store, Keyring: alone, Files: h.Files, Dir: h.Dir, Instance: "aaaa", Cost: h.cfg.Cost})}
	if after := content.JSON(comparableRecords(again.dump(all()))); after != before {
		t.Error("something reads differently")
	}
	if others, err := again.Desk.SearchSets.Others(t.Context(), hosts(t, "api.stripe.com"), nil); err != nil {
		t.Errorf("superseded values don't open: %v", err)
	} else if _, hits := redact.New(others).Text("sk_live_between_0123456789"); hits.Total() != 1 {
		t.Error("a superseded value is lost")
	}
	if again.Values(p)["STRIPE_KEY"] != "sk_live_0123456789abcdef" {
		t.Error("the value is lost")
	}
	h.No(h.Store.Read(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Executions.ByLookup(t.Context(), alone.Lookup(secrets.Execs, id))
		return err
	}))
	h.No(h.Store.Read(t.Context(), func(tx *store.Tx) error {
		set, _, err := tx.Settings.Get(t.Context(), SettingBackup)
		h.No(err)
		got, err := alone.Open(secrets.Settings, SettingBackup, set.Value)
		if string(got) != "a passphrase, say" {
			t.Errorf("the settings of backups: %q", got)
		}
		return err
	}))

}

// tokensOf looks for tokens of a key in every column of every table.
func tokensOf(t *testing.T, dir string, keyID []byte) map[string]int {
	t.Helper()
	db := must[*sql.DB](t)(sql.Open("sqlite", "file:"+filepath.Join(dir, store.FileName)+"?mode=ro"))
	defer db.Close()
	found := map[string]int{}
	var tables []string
	rows, err := db.QueryContext(t.Context(),
		"SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil || len(tables) < 50 {
		t.Fatalf("%d columns, %v", len(tables), err)
	}
	prefix := append([]byte{1}, keyID...)
	for _, name := range tables {
		table, column, _ := bytes.Cut([]byte(name), []byte("."))
		var n int
		query := fmt.Sprintf("SELECT count(*) FROM %q WHERE substr(CAST(%q AS BLOB), 1, 5) = ?", table, column)
		if err := db.QueryRowContext(t.Context(), query, prefix).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			found[name] = n
		}
	}
	return found
}

// A run that breaks off leaves everything readable with both keys, and the next one finishes it.
func TestRotationIsResumed(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	h.No(h.Ring.Renew(app.NewSecret("a new instance key of more than 32 characters"),
		app.NewSecret("an instance key of more than 32 characters: aaaa")))
	h.No(h.Store.Write(t.Context(), func(tx *store.Tx) error { // as far as it had come
		found, err := tx.Tokens.OfOtherKeys(t.Context(), store.SealedProfiles, h.Ring.KeyIDBytes(), 0, 1)
		if err != nil || len(found) != 1 {
			return fmt.Errorf("%d tokens, %w", len(found), err)
		}
		plain, err := h.Ring.Open(secrets.Profiles, secrets.ProfileRow(found[0].Name), found[0].Token)
		if err != nil {
			return err
		}
		return tx.Tokens.Reseal(t.Context(), store.SealedProfiles, found[0],
			h.Ring.Seal(secrets.Profiles, secrets.ProfileRow(found[0].Name), plain), h.Ring.KeyID())
	}))
	if h.Values(p)["STRIPE_KEY"] != "sk_live_0123456789abcdef" {
		t.Error("half-way it can't be read")
	}
	must[int](t)(rekey.Run(t.Context(), h.Store, h.Ring))
	if h.Values(p)["STRIPE_KEY"] != "sk_live_0123456789abcdef" {
		t.Error("after it it can't be read")
	}
}
