package transfer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/auth/authtest"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storetest"
)

const words = "five random words make a file"

func person() app.Actor { return app.Actor{Kind: app.ActorPerson, Name: "anna", Address: "192.0.2.8"} }

// house is an instance: a store with a desk and this package's service.
type house struct {
	*Service
	t      testing.TB
	dir    string
	store  *store.Store
	ring   *secrets.Keyring
	desk   *access.Parts
	files  *files.Files
	skills *skills.Service
	n      int
	out    string // of the executions to come
	left   string // their artifact; "" is a short one
}

// newHouse makes an instance with an instance key of its own.
func newHouse(t testing.TB, label string) *house {
	t.Helper()
	dir := t.TempDir()
	st := storetest.OpenIn(t, dir, nil)
	ring, err := secrets.NewKeyring(app.NewSecret("an instance key of more than 32 characters: " + label))
	if err != nil {
		t.Fatal(err)
	}
	if ring, err = instance.VerifyKeyring(t.Context(), st, ring); err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, dir: dir, store: st, ring: ring, desk: access.New(access.Config{
		Store: st, Keyring: ring, AgentProfiles: true, HashCost: authtest.CheapHashes(t),
	})}
	kept := filepath.Join(dir, files.Dir)
	h.no(os.Mkdir(kept, 0o700))
	storage := must[*blobs.Dir](t)(blobs.OpenDir(kept))
	h.files = files.New(files.Config{Store: st, Keyring: ring, Storage: storage, Dir: kept})
	h.skills = skills.New(skills.Config{Store: st, Files: h.files})
	h.Service = New(Config{Store: st, Keyring: ring, Files: h.files, Dir: dir, Instance: label, Program: "airlock test",
		Log: slog.New(slog.DiscardHandler), Cost: archive.Cost{Memory: 8, Passes: 1, Lanes: 1}})
	return h
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (h *house) no(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func wantCode(t testing.TB, what string, err error, code app.Code) {
	t.Helper()
	if app.CodeOf(err) != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func hosts(t testing.TB, texts ...string) (list []app.Host) {
	t.Helper()
	for _, text := range texts {
		list = append(list, must[app.Host](t)(app.ParseHost(text)))
	}
	return list
}

// credential sets one; with hosts it is sealed.
func (h *house) credential(name, value string, at ...string) app.Credential {
	h.t.Helper()
	in := credentials.Input{Name: name, Description: "about " + name, Value: app.NewSecret(value),
		Hosts: hosts(h.t, at...)}
	if len(at) == 0 {
		in.Mode = app.ModeInjected
	}
	return must[app.Credential](h.t)(h.desk.Credentials.Set(h.t.Context(), person(), in))
}

// profile makes an unlocked profile with keys that are linked to credentials of their names.
func (h *house) profile(description string, keys []string, at ...string) app.Profile {
	h.t.Helper()
	ctx := h.t.Context()
	p := must[app.Profile](h.t)(h.desk.Profiles.Create(ctx, person(), description))
	for _, k := range keys {
		p = must[app.Profile](h.t)(h.desk.Keys.Add(ctx, person(), p.Handle,
			[]app.Key{{Name: k, Description: "to read " + k}}))
		p = must[app.Profile](h.t)(h.desk.Keys.Link(ctx, person(), p.Handle, k, k))
	}
	if len(at) > 0 {
		p = must[app.Profile](h.t)(h.desk.Hosts.Set(ctx, person(), p.Handle, hosts(h.t, at...), nil))
	}
	return p
}

func (h *house) locked(description string, keys []string, at ...string) app.Profile {
	h.t.Helper()
	p := h.profile(description, keys, at...)
	return must[app.Profile](h.t)(h.desk.Lifecycle.Lock(h.t.Context(), person(), p.Handle, p.UpdatedAt))
}

// execution adds a finished one with something in every table that hangs on it. It returns its id.
func (h *house) execution(p app.Profile) string {
	h.t.Helper()
	h.n++
	id, handle, result := app.NewExecutionID(), app.NewID(), fmt.Sprintf(`{"n":%d,"text":"ü\u2028<&>"}`, h.n)
	at := time.Date(2026, 3, 1, 12, 0, h.n, 0, time.UTC).UnixMilli()
	request := "llm_" + app.NewID()
	left := cmp.Or(h.left, "1,2,3")
	blob := h.keep(left)
	h.no(h.store.Write(h.t.Context(), func(tx *store.Tx) error {
		row, err := tx.Profiles.ByHandle(h.t.Context(), p.Handle)
		if err != nil {
			return err
		}
		load, err := tx.Loader()
		if err != nil {
			return err
		}
		defer func() { _ = load.Close() }()
		x, _, err := load.Add(h.t.Context(), store.ExecutionRow{
			Handle: handle, Lookup: h.ring.Lookup(secrets.Execs, id),
			SealedID:  h.ring.Seal(secrets.Execs, secrets.ExecutionRow(handle), []byte(id)),
			ProfileID: &row.Row, ProfileHandle: p.Handle, ProfileDescription: p.Description, Policy: 1, Status: "completed", Label: "month end",
			TimeoutMs: 60000, Backend: "fake", Isolation: "full", Warm: true,
			Redactions: 1, Injected: `["K"]`, SubmittedBy: `{"kind":"agent","name":"x"}`, CreatedAt: at, ClaimedAt: at + 1,
			StartedAt: at + 2, FirstOutputAt: at + 3, CompletedAt: at + 4,
			RunMs: 2, LLMMs: 1, CPUMs: 1, PeakMemory: 1 << 20,
			Manifest: `{"script":"aa","limits":{"memory":1,"cpu":0.5,"pids":1,"tmp":1,"files":1,"output":1,"result":1}}`,
		})
		rows := []any{
			store.ScriptRow{ExecutionID: x,
				Script: h.ring.Seal(secrets.Scripts, secrets.ScriptRow(handle), []byte("print(1)\n# ü")),
				Inputs: h.ring.Seal(secrets.Scripts, secrets.InputsRow(handle), []byte(`{"a": 1}`)), Clean: "print(1)\n# ü",
				CleanInputs: `{"a":1}`},
			store.OutputRow{ExecutionID: x, Stdout: "1\n" + h.out, Stderr: "warning\x1b[0m\n", Result: &result, Segments: "[]"},
			store.UsedValueRow{ExecutionID: x, Key: "K", CredentialID: "c", CredentialName: "K", Version: 1, Mode: "injected"},
			store.ExchangeRow{ExecutionID: x, Ordinal: 1, RequestID: request, Prompt: "why?", Model: "m", Response: "because",
				Answer:     h.ring.Seal(secrets.Scripts, secrets.AnswerRow(request), []byte("because")),
				AnsweredBy: `{"kind":"agent"}`, AskedAt: at, AnsweredAt: at + 1,
				Asked: h.ring.Lookup(secrets.Scripts, "asked:1:mwhy?")},
			store.ConnectionRow{ExecutionID: x, Ordinal: 1, Host: "api.example.com", Port: 443, Verdict: "allowed",
				Rule: "api.example.com", Credentials: `["K"]`, StartedAt: at, Count: 1, Line: 3},
			store.RedactionRow{ExecutionID: x, Channel: "stdout", Name: "K", Count: 1},
			store.InputFileRow{ExecutionID: x, Name: "orders.csv", FileID: "file_1", Size: 3, SHA256: strings.Repeat("a", 64)},
			store.ArtifactRow{ExecutionID: x, Ordinal: 1, ProfileHandle: p.Handle, Name: "report.csv", Size: int64(len(left)),
				SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(left))), BlobID: &blob, MediaType: "text/csv", Masked: 1, ExpiresAt: at + 9},
			store.StatsRow{ProfileHandle: p.Handle, Span: 86400, Start: at / 1000 / 86400 * 86400, Completed: 1,
				Durations: `{"2":1}`},
		}
		for _, r := range rows {
			if err == nil {
				_, _, err = load.Add(h.t.Context(), r)
			}
		}
		return err
	}))
	return id
}

// keep stores a content.
func (h *house) keep(content string) int64 {
	h.t.Helper()
	spool := must[*files.Spool](h.t)(h.files.NewSpool())
	defer spool.Close()
	must[int](h.t)(io.WriteString(spool, content))
	h.no(spool.Finish())
	return must[store.Blob](h.t)(h.files.Keep(h.t.Context(), spool)).ID
}

// export returns a file.
func (h *house) export(what Selection) []byte {
	h.t.Helper()
	var file bytes.Buffer
	must[Exported](h.t)(h.Export(h.t.Context(), person(), &file, app.NewSecret(words), what, nil))
	return file.Bytes()
}

func all() Selection { return Selection{History: true} }

func upload(file []byte) Upload {
	return Upload{Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file)), nil },
		Size: int64(len(file)), Passphrase: app.NewSecret(words)}
}

func (h *house) plan(file []byte) Plan {
	h.t.Helper()
	return must[Plan](h.t)(h.Plan(h.t.Context(), person(), upload(file), nil))
}

// take imports a file as a choice says, after looking at it.
func (h *house) take(file []byte, c Choice) Report {
	h.t.Helper()
	return must[Report](h.t)(h.Import(h.t.Context(), person(), upload(file), c, h.plan(file).Digest, nil))
}

// dump is everything that is in the store, as a file says it, without what differs between two
// exports of one state.
func (h *house) dump(what Selection) []record {
	h.t.Helper()
	var out bytes.Buffer
	w := newLineWriter(&out)
	e := &exporter{s: h.Service, what: what, out: w}
	h.no(h.store.Read(h.t.Context(), func(tx *store.Tx) error { return e.run(h.t.Context(), tx) }))
	l := newLineReader(&out)
	var list []record
	for {
		r, err := l.next()
		if err == io.EOF {
			return list
		}
		h.no(err)
		list = append(list, r)
	}
}

func (h *house) actions() (list []string) {
	h.t.Helper()
	for _, e := range must[[]app.Event](h.t)(h.desk.Audit.Latest(h.t.Context(), 1000)) {
		list = append([]string{e.Action}, list...)
	}
	return list
}

func (h *house) values(p app.Profile) map[string]string {
	h.t.Helper()
	ctx := context.WithoutCancel(h.t.Context())
	p = must[app.Profile](h.t)(h.desk.Profiles.ByID(ctx, p.ID))
	policy := must[app.Policy](h.t)(h.desk.Binder.Policy(ctx, p.Handle, p.Policy))
	got := map[string]string{}
	for _, v := range must[[]credentials.Value](h.t)(h.desk.Resolver.Resolve(ctx, p.Handle, policy)) {
		got[v.Key] = v.Secret.Reveal()
	}
	return got
}

// unsealed is what a file of ours holds, line by line.
func unsealed(file []byte) ([]byte, error) {
	r, err := archive.NewReader(bytes.NewReader(file), app.NewSecret(words), 0)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// sealed makes a file of any text.
func sealed(t testing.TB, h *house, content string) []byte {
	t.Helper()
	var file bytes.Buffer
	w := must[*archive.Writer](t)(archive.NewWriter(&file, app.NewSecret(words), h.cfg.Cost))
	must[int](t)(w.Write([]byte(content)))
	h.no(w.Close())
	return file.Bytes()
}

// state is the item of a plan with a key.
func state(p Plan, key string) Item {
	for _, i := range p.Items {
		if i.Key == key {
			return i
		}
	}
	return Item{}
}

// newHouseAt returns the skills of a database that took the place of a house's.
func newHouseAt(t testing.TB, h *house, st *store.Store) *skills.Service {
	t.Helper()
	ring := must[*secrets.Keyring](t)(instance.VerifyKeyring(t.Context(), st, h.ring))
	kept := filepath.Join(h.dir, files.Dir)
	storage := must[*blobs.Dir](t)(blobs.OpenDir(kept))
	return skills.New(skills.Config{Store: st, Files: files.New(files.Config{Store: st, Keyring: ring, Storage: storage, Dir: kept})})
}
