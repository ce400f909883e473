package transfertest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/store"
)

// Furnished is an instance with a bit of everything.
func Furnished(t testing.TB, label string) (*Instance, app.Profile, string) {
	h := New(t, label)
	h.Credential("STRIPE_KEY", "sk_live_0123456789abcdef", "api.stripe.com")
	accesstest.Must[app.Credential](t)(h.Desk.Credentials.Set(t.Context(), Person(),
		credentials.Input{Name: "STRIPE_KEY", Description: new("about STRIPE_KEY"),
			Headers: []string{"Authorization", "X-My-Own"}}))
	h.Credential("DB_PASSWORD", "first-password")
	h.Credential("DB_PASSWORD", "second-password ü\nwith two lines")
	p := h.Locked("billing", []string{"STRIPE_KEY", "DB_PASSWORD"}, "api.stripe.com", "db.example.com:5432")
	accesstest.Must[app.Profile](t)(h.Desk.Lifecycle.SetExpiry(t.Context(), Person(), p.Handle,
		time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)))
	h.Profile("being set up", []string{"DB_PASSWORD"})
	revoked := h.Locked("old", nil)
	h.Execution(revoked)
	accesstest.Must[app.Profile](t)(h.Desk.Lifecycle.Revoke(t.Context(), Person(), revoked.Handle))
	gone := h.Locked("gone", nil)
	h.Execution(gone)
	h.No(h.Desk.Profiles.Delete(t.Context(), Person(), gone.Handle))
	h.furnishSkills(p)
	id := h.Execution(p)
	return h, p, id
}

// Agent is who does what the agent of a profile does.
func Agent(p app.Profile) app.Actor { return app.Actor{Kind: app.ActorAgent, Name: p.Handle} }

// Version uploads a skill that prints a text.
func (h *Instance) Version(by app.Actor, name, text string) skills.Version {
	h.T.Helper()
	dir := h.T.TempDir()
	skill := fmt.Sprintf("---\nname: %s\ndescription: It prints %s.\nmetadata:\n"+
		"  airlock.keys: STRIPE_KEY\n---\nRun it.\n", name, text)
	h.No(os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(skill), 0o600))
	h.No(os.WriteFile(filepath.Join(dir, "main.py"), []byte(fmt.Sprintf("print(%q)\n", text)), 0o600))
	files := accesstest.Must[bundle.Bundle](h.T)(bundle.ReadFolder(dir))
	return accesstest.Must[skills.Version](h.T)(h.Skills.Upload(h.T.Context(), by, files))
}

// Approve approves a version.
func (h *Instance) Approve(v skills.Version) {
	h.T.Helper()
	accesstest.Must[skills.Version](h.T)(h.Skills.Approve(h.T.Context(), Person(), v.Name, v.Number, v.Digest))
}

// Revoke revokes one.
func (h *Instance) Revoke(name string, number int) {
	h.T.Helper()
	accesstest.Must[skills.Version](h.T)(h.Skills.Revoke(h.T.Context(), Person(), name, number, "It sends mail."))
}

// Decided adds what a person decided about a script.
func (h *Instance) Decided(p app.Profile, script string, state app.ApprovalState, scope app.ApprovalScope) {
	h.T.Helper()
	sum := sha256.Sum256([]byte(script))
	shown, _ := redact.New(nil).Text(script)
	at := time.Now().UTC().Truncate(time.Millisecond)
	h.No(h.Store.Write(h.T.Context(), func(tx *store.Tx) error {
		return tx.Approvals.Add(h.T.Context(), app.Approval{ID: app.NewID(), Kind: app.ApprovalScript,
			Subject: hex.EncodeToString(sum[:]), ProfileHandle: p.Handle, Execution: app.NewID(), State: state, Scope: scope,
			AskedAt: at, DecidedBy: Person(), DecidedAt: at}, shown)
	}))
}

// furnishSkills adds a skill with a version of each state, a deleted one, and decisions on scripts.
func (h *Instance) furnishSkills(p app.Profile) {
	h.T.Helper()
	ctx := h.T.Context()
	h.Approve(h.Version(Agent(p), "totals", "one"))
	h.Revoke("totals", 1)
	h.Approve(h.Version(Agent(p), "totals", "two"))
	h.Version(Agent(p), "totals", "three")
	h.Approve(h.Version(Person(), "gone", "gone"))
	h.No(h.Skills.Delete(ctx, Person(), "gone"))
	h.Decided(p, "print(1)", app.ApprovalApproved, app.ApproveAlways)
	h.Decided(p, "print(2)", app.ApprovalRefused, "")
	h.Decided(p, "print(3)", app.ApprovalApproved, app.ApproveOnce)
	h.Decided(p, "print(4)", app.ApprovalOpen, "")
}
