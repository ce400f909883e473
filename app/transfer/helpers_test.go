package transfer

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"slices"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/files/filestest"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/app/transfer/transfertest"
	"github.com/computclaw/airlock/store"
)

const words = transfertest.Words

func person() app.Actor { return transfertest.Person() }

func must[T any](t testing.TB) func(T, error) T { return accesstest.Must[T](t) }

func wantCode(t testing.TB, what string, err error, code app.Code) {
	t.Helper()
	accesstest.WantCode(t, what, err, code)
}

func hosts(t testing.TB, texts ...string) []app.Host { return transfertest.Hosts(t, texts...) }

// fixture is an instance with this package's service.
type fixture struct {
	*transfertest.Instance
	*Service
}

func newFixture(t testing.TB, label string) *fixture { return serve(transfertest.New(t, label), label) }

func furnished(t testing.TB, label string) (*fixture, app.Profile, string) {
	h, p, id := transfertest.Furnished(t, label)
	return serve(h, label), p, id
}

func serve(h *transfertest.Instance, label string) *fixture {
	return &fixture{h, New(Config{Store: h.Store, Keyring: h.Ring, Files: h.Files, Dir: h.Dir, Instance: label,
		Program: "airlock test", Log: slog.New(slog.DiscardHandler), Cost: archive.Cost{Memory: 8, Passes: 1, Lanes: 1}})}
}

// export returns a file.
func (h *fixture) export(what Selection) []byte {
	h.T.Helper()
	var file bytes.Buffer
	must[Exported](h.T)(h.Export(h.T.Context(), person(), &file, app.NewSecret(words), what, nil))
	return file.Bytes()
}

// staysReadable checks that everything here can be exported and restored.
func (h *fixture) staysReadable() {
	h.T.Helper()
	must[content.Counts](h.T)(newFixture(h.T, "ffff").Fill(h.T.Context(), upload(h.export(all())), nil))
}

// setBackup sets the setting of app/backups.
func (h *fixture) setBackup(text string) {
	h.T.Helper()
	h.No(h.Store.Write(h.T.Context(), func(tx *store.Tx) error {
		return tx.Settings.Set(h.T.Context(), h.now(), store.Setting{Key: SettingBackup, Sealed: true,
			Value: h.Ring.Seal(secrets.Settings, SettingBackup, []byte(text))})
	}))
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	for _, e := range must[[]os.DirEntry](t)(os.ReadDir(dir)) {
		list = append(list, e.Name())
	}
	return list
}

func all() Selection { return Selection{History: true} }

func upload(file []byte) Upload {
	return Upload{Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file)), nil },
		Size: int64(len(file)), Passphrase: app.NewSecret(words)}
}

func (h *fixture) plan(file []byte) Plan {
	h.T.Helper()
	return must[Plan](h.T)(h.Plan(h.T.Context(), person(), upload(file), nil))
}

func (h *fixture) take(file []byte, c Choice) Report {
	h.T.Helper()
	return must[Report](h.T)(h.Import(h.T.Context(), person(), upload(file), c, h.plan(file), nil))
}

// dump returns the store's contents as a file says it, without differences between two exports of
// one state.
func (h *fixture) dump(what Selection) []content.Record {
	h.T.Helper()
	var out bytes.Buffer
	w := content.NewWriter(&out)
	e := &exporter{s: h.Service, what: what, out: w}
	h.No(h.Store.Read(h.T.Context(), func(tx *store.Tx) error { return e.run(h.T.Context(), tx) }))
	dec := json.NewDecoder(&out)
	var list []content.Record
	for {
		var r content.Record
		err := dec.Decode(&r)
		if err == io.EOF {
			return list
		}
		h.No(err)
		list = append(list, r)
	}
}

func unsealed(file []byte) ([]byte, error) {
	r, err := archive.NewReader(bytes.NewReader(file), app.NewSecret(words), 0)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func state(p Plan, key string) Item {
	for _, i := range p.Items {
		if i.Key == key {
			return i
		}
	}
	return Item{}
}

func count(p Plan, kind string, state State) (n int) {
	for _, i := range p.Items {
		if i.Kind == kind && i.State == state {
			n++
		}
	}
	return n
}

func skillsOfStore(t testing.TB, h *fixture, st *store.Store) *skills.Service {
	t.Helper()
	ring := must[*secrets.Keyring](t)(instance.VerifyKeyring(t.Context(), st, h.Ring))
	return skills.New(skills.Config{Store: st, Files: filestest.New(t, h.Dir, st, ring)})
}

func said(i Item) []string {
	list := slices.Clone(i.Why)
	for _, f := range i.Fields {
		list = append(list, f.String())
	}
	return list
}

// yesTo takes the items with these keys and all new ones.
func yesTo(keys ...string) Choice {
	choice := Choice{Each: map[string]bool{}}
	for _, key := range keys {
		choice.Each[key] = true
	}
	return choice
}
