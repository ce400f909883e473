// Package transfertest makes instances for tests of exports, imports, restores and backups.
package transfertest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/auth/authtest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/files/filestest"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storetest"
)

// Words is the passphrase of files.
const Words = "five random words make a file"

// Person is who does what people do.
func Person() app.Actor { return app.Actor{Kind: app.ActorPerson, Name: "anna", Address: "192.0.2.8"} }

// Instance is a store with what people and agents do to it.
type Instance struct {
	T      testing.TB
	Dir    string
	Store  *store.Store
	Ring   *secrets.Keyring
	Desk   *access.Parts
	Files  *files.Files
	Skills *skills.Service
	Out    string // of the executions to come
	Left   string // their artifact; "" is a short one
	n      int
}

// New makes an instance with an instance key of its own.
func New(t testing.TB, label string) *Instance {
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
	h := &Instance{T: t, Dir: dir, Store: st, Ring: ring, Desk: access.New(access.Config{
		Store: st, Keyring: ring, AgentProfiles: true, HashCost: authtest.CheapHashes(t),
	})}
	h.Files = filestest.New(t, dir, st, ring)
	h.Skills = skills.New(skills.Config{Store: st, Files: h.Files})
	return h
}

// No fails the test if there is an error.
func (h *Instance) No(err error) {
	h.T.Helper()
	if err != nil {
		h.T.Fatal(err)
	}
}

// Hosts are entries as people write them.
func Hosts(t testing.TB, texts ...string) (list []app.Host) {
	t.Helper()
	for _, text := range texts {
		list = append(list, accesstest.Must[app.Host](t)(app.ParseHost(text)))
	}
	return list
}

// Credential sets one; with hosts it is sealed.
func (h *Instance) Credential(name, value string, at ...string) app.Credential {
	h.T.Helper()
	in := credentials.Input{Name: name, Description: new("about " + name), Value: app.NewSecret(value),
		Hosts: Hosts(h.T, at...)}
	if len(at) == 0 {
		in.Mode = app.ModeInjected
	}
	return accesstest.Must[app.Credential](h.T)(h.Desk.Credentials.Set(h.T.Context(), Person(), in))
}

// Profile makes an unlocked profile with keys linked to credentials of their names.
func (h *Instance) Profile(description string, keys []string, at ...string) app.Profile {
	h.T.Helper()
	ctx := h.T.Context()
	p := accesstest.Must[app.Profile](h.T)(h.Desk.Profiles.Create(ctx, Person(), description))
	for _, k := range keys {
		p = accesstest.Must[app.Profile](h.T)(h.Desk.Keys.Add(ctx, Person(), p.Handle,
			[]app.Key{{Name: k, Description: "to read " + k}}))
		p = accesstest.Must[app.Profile](h.T)(h.Desk.Keys.Link(ctx, Person(), p.Handle, k, k))
	}
	if len(at) > 0 {
		p = accesstest.Must[app.Profile](h.T)(h.Desk.Hosts.Set(ctx, Person(), p.Handle, Hosts(h.T, at...), nil))
	}
	return p
}

// Locked makes a locked profile.
func (h *Instance) Locked(description string, keys []string, at ...string) app.Profile {
	h.T.Helper()
	p := h.Profile(description, keys, at...)
	return accesstest.Must[app.Profile](h.T)(h.Desk.Lifecycle.Lock(h.T.Context(), Person(), p.Handle, p.UpdatedAt))
}

// Execution adds a finished execution with rows in all its tables. It returns its id.
func (h *Instance) Execution(p app.Profile) string {
	h.T.Helper()
	h.n++
	id, handle, result := app.NewExecutionID(), app.NewID(), fmt.Sprintf(`{"n":%d,"text":"ü\u2028<&>"}`, h.n)
	at := time.Date(2026, 3, 1, 12, 0, h.n, 0, time.UTC).UnixMilli()
	request := "llm_" + app.NewID()
	left := cmp.Or(h.Left, "1,2,3")
	blob := h.Keep(left)
	h.No(h.Store.Write(h.T.Context(), func(tx *store.Tx) error {
		row, err := tx.Profiles.ByHandle(h.T.Context(), p.Handle)
		if err != nil {
			return err
		}
		x, _, err := tx.Load(h.T.Context(), store.ExecutionRow{
			Handle: handle, Lookup: h.Ring.Lookup(secrets.Execs, id),
			SealedID:  h.Ring.Seal(secrets.Execs, secrets.ExecutionRow(handle), []byte(id)),
			ProfileID: &row.Row, ProfileHandle: p.Handle, ProfileDescription: p.Description,
			Policy: 1, Status: "completed", Label: "month end",
			TimeoutMs: 60000, Backend: "fake", Isolation: "full", Warm: true,
			Redactions: 1, Injected: `["K"]`, SubmittedBy: `{"kind":"agent","name":"x"}`, CreatedAt: at, ClaimedAt: at + 1,
			StartedAt: at + 2, FirstOutputAt: at + 3, CompletedAt: at + 4,
			RunMs: 2, LLMMs: 1, CPUMs: 1, PeakMemory: 1 << 20,
			Manifest: `{"script":"aa","limits":{"memory":1,"cpu":0.5,"pids":1,"tmp":1,"files":1,"output":1,"result":1}}`,
		})
		rows := []any{
			store.ScriptRow{ExecutionID: x,
				Script: h.Ring.Seal(secrets.Scripts, secrets.ScriptRow(handle), []byte("print(1)\n# ü")),
				Inputs: h.Ring.Seal(secrets.Scripts, secrets.InputsRow(handle), []byte(`{"a": 1}`)), Clean: "print(1)\n# ü",
				CleanInputs: `{"a":1}`},
			store.OutputRow{ExecutionID: x, Stdout: "1\n" + h.Out, Stderr: "warning\x1b[0m\n", Result: &result, Segments: "[]"},
			store.UsedValueRow{ExecutionID: x, Key: "K", CredentialID: "c", CredentialName: "K", Version: 1, Mode: "injected"},
			store.ExchangeRow{ExecutionID: x, Ordinal: 1, RequestID: request, Prompt: "why?", Model: "m", Response: "because",
				Answer:     h.Ring.Seal(secrets.Scripts, secrets.AnswerRow(request), []byte("because")),
				AnsweredBy: `{"kind":"agent"}`, AskedAt: at, AnsweredAt: at + 1,
				Asked: h.Ring.Lookup(secrets.Scripts, "asked:1:mwhy?")},
			store.ConnectionRow{ExecutionID: x, Ordinal: 1, Host: "api.example.com", Port: 443, Verdict: "allowed",
				Rule: "api.example.com", Credentials: `["K"]`, StartedAt: at, Count: 1, Line: 3},
			store.RedactionRow{ExecutionID: x, Channel: "stdout", Name: "K", Count: 1},
			store.InputFileRow{ExecutionID: x, Name: "orders.csv", FileID: "file_1", Size: 3, SHA256: strings.Repeat("a", 64)},
			store.ArtifactRow{ExecutionID: x, Ordinal: 1, ProfileHandle: p.Handle, Name: "report.csv", Size: int64(len(left)),
				SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(left))), BlobID: &blob, MediaType: "text/csv",
				Masked: 1, ExpiresAt: at + 9},
			store.StatsRow{ProfileHandle: p.Handle, Span: 86400, Start: at / 1000 / 86400 * 86400, Completed: 1,
				Durations: `{"2":1}`},
		}
		for _, r := range rows {
			if err == nil {
				_, _, err = tx.Load(h.T.Context(), r)
			}
		}
		return err
	}))
	return id
}

// Keep stores a content.
func (h *Instance) Keep(content string) int64 {
	h.T.Helper()
	spool := accesstest.Must[*files.Spool](h.T)(h.Files.NewSpool())
	defer spool.Close()
	accesstest.Must[int](h.T)(io.WriteString(spool, content))
	h.No(spool.Finish())
	return accesstest.Must[store.Blob](h.T)(h.Files.Keep(h.T.Context(), spool)).ID
}

// Actions are those of the audit log, oldest first.
func (h *Instance) Actions() (list []string) {
	h.T.Helper()
	for _, e := range accesstest.Must[[]app.Event](h.T)(h.Desk.Audit.Latest(h.T.Context(), 1000)) {
		list = append([]string{e.Action}, list...)
	}
	return list
}

// Values are what an execution of a profile would get, by key.
func (h *Instance) Values(p app.Profile) map[string]string {
	h.T.Helper()
	ctx := context.WithoutCancel(h.T.Context())
	p = accesstest.Must[app.Profile](h.T)(h.Desk.Profiles.ByID(ctx, p.ID))
	policy := accesstest.Must[app.Policy](h.T)(h.Desk.Binder.Policy(ctx, p.Handle, p.Policy))
	got := map[string]string{}
	for _, v := range accesstest.Must[[]secrets.Resolved](h.T)(h.Desk.Resolver.Resolve(ctx, p.Handle, policy)) {
		got[v.Key] = v.Secret.Reveal()
	}
	return got
}
