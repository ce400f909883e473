package transfer

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// Everything that travels arrives, and nothing else changes on the way: the new instance would
// write the very same file.
func TestExportAndImport(t *testing.T) {
	old, p, id := furnished(t, "aaaa")
	file := old.export(all())
	for _, secret := range []string{"sk_live", "second-password", p.ID, id, "STRIPE_KEY", "billing"} {
		if bytes.Contains(file, []byte(secret)) {
			t.Errorf("the file shows %q", secret)
		}
	}
	fresh := newFixture(t, "bbbb")
	plan := fresh.plan(file)
	if plan.Count("credential", StateNew) != 2 || plan.Count("profile", StateNew) != 3 || plan.File.Executions != 3 ||
		plan.Own || !plan.Whole || plan.Events == 0 {
		t.Errorf("plan: %+v", plan)
	}
	report := fresh.take(file, Choice{History: true})
	if report.Credentials != 2 || report.Profiles != 3 || report.Executions != 3 || report.Skipped != 0 {
		t.Errorf("report: %+v", report)
	}

	// The agent's id works as it is.
	got := must[app.Profile](t)(fresh.Desk.Profiles.ByID(t.Context(), p.ID))
	if diff := cmp.Diff(must[app.Profile](t)(old.Desk.Profiles.ByID(t.Context(), p.ID)), got,
		cmpopts.IgnoreFields(app.Profile{}, "UpdatedAt")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(old.Values(p), fresh.Values(p)); diff != "" {
		t.Error(diff)
	}
	h, _, _ := strings.Cut(p.Handle, " ")
	for _, at := range []*fixture{old, fresh} {
		var x store.Execution
		at.No(at.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
			x, err = tx.Executions.ByLookup(t.Context(), at.Ring.Lookup(secrets.Execs, id))
			return err
		}))
		if x.ProfileHandle != h || x.ProfileGone {
			t.Errorf("%s: %+v", at.cfg.Instance, x)
		}
	}

	a, b := old.dump(all()), fresh.dump(all())
	if diff := cmp.Diff(comparableRecords(a), comparableRecords(b),
		cmpopts.IgnoreFields(content.Profile{}, "UpdatedAt")); diff != "" {
		t.Error(diff)
	}
	if broken := must[int64](t)(fresh.Desk.Audit.Verify(t.Context())); broken != 0 {
		t.Errorf("the audit log breaks at %d", broken)
	}
	h2 := fresh.Actions()
	if !slices.Contains(h2, "transfer.import") || !slices.Contains(old.Actions(), "transfer.export") {
		t.Errorf("the audit log says nothing: %v", h2)
	}
	if points := must[[]RestorePoint](t)(fresh.RestorePoints()); len(points) != 1 || points[0].Size == 0 {
		t.Errorf("restore points: %v", points)
	}

	// A second import finds everything there.
	plan = fresh.plan(file)
	if plan.Count("credential", StateSame) != 2 || plan.Count("profile", StateSame) != 3 || plan.Here != 3 {
		t.Errorf("second plan: %+v", plan)
	}
	if report := fresh.take(file,
		Choice{History: true}); report.Credentials+report.Profiles+report.Executions != 0 ||
		report.Skipped != 3 {
		t.Errorf("second report: %+v", report)
	}
}

// comparableRecords drops what belongs to one instance: who made the file and when, its audit log,
// how often a value was used since.
func comparableRecords(list []content.Record) (out []content.Record) {
	for _, r := range list {
		switch {
		case r.Skill != nil && r.Skill.DeletedAt > 0, r.Airlock != nil, r.Event != nil, r.Archived != nil, r.End != nil:
			continue
		case r.Credential != nil:
			r.Credential.Uses, r.Credential.LastUsedAt = 0, 0
		}
		out = append(out, r)
	}
	return out
}

// Answers of a script's past questions are found by the old instance's hashes.
func TestHashesOfQuestionsTravel(t *testing.T) {
	old, _, _ := furnished(t, "aaaa")
	file := old.export(all())
	fresh := newFixture(t, "bbbb")
	fresh.take(file, Choice{History: true})
	third := newFixture(t, "cccc")
	third.take(fresh.export(all()), Choice{History: true})
	for _, h := range []*fixture{fresh, third} {
		h.No(h.Store.Read(t.Context(), func(tx *store.Tx) error {
			keys, err := instance.AskedKeys(t.Context(), tx, h.Ring)
			if !slices.ContainsFunc(keys, func(k []byte) bool { return bytes.Equal(k, old.Ring.LookupKey(secrets.Scripts)) }) {
				t.Errorf("%s does not have the key: %d keys", h.cfg.Instance, len(keys))
			}
			return err
		}))
	}
}

func TestRestoreIntoANewDatabase(t *testing.T) {
	old, p, _ := furnished(t, "aaaa")
	before := must[[]app.Event](t)(old.Desk.Audit.Latest(t.Context(), 1000))
	file := old.export(all())
	fresh := newFixture(t, "bbbb")
	counts := must[content.Counts](t)(fresh.Fill(t.Context(), upload(file), nil))
	if counts.Executions != 3 || counts.Events != int64(len(before)) {
		t.Errorf("counts: %+v", counts)
	}
	if diff := cmp.Diff(comparableRecords(old.dump(all())), comparableRecords(fresh.dump(all()))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, must[[]app.Event](t)(fresh.Desk.Audit.Latest(t.Context(), 1000))); diff != "" {
		t.Errorf("the audit log differs: %s", diff)
	}
	if broken := must[int64](t)(fresh.Desk.Audit.Verify(t.Context())); broken != 0 {
		t.Errorf("the audit log breaks at %d", broken)
	}
	fresh.No(fresh.Store.Check(t.Context()))
	if diff := cmp.Diff(map[string]string{"STRIPE_KEY": "sk_live_0123456789abcdef",
		"DB_PASSWORD": "second-password ü\nwith two lines"}, fresh.Values(p)); diff != "" {
		t.Error(diff)
	}
	_, err := fresh.Fill(t.Context(), upload(file), nil)
	wantCode(t, "into what is not empty", err, app.CodeConflict)
}

func TestSelectionTakesOnlyWhatBelongsToIt(t *testing.T) {
	h := newFixture(t, "aaaa")
	h.Credential("MINE", "value-of-mine")
	h.Credential("OTHER", "value-of-other")
	mine, other := h.Locked("mine", []string{"MINE"}), h.Locked("other", []string{"OTHER"})
	h.Execution(mine)
	h.Execution(other)
	file := h.export(Selection{Profiles: []string{mine.Handle}, History: true})
	plan := newFixture(t, "bbbb").plan(file)
	if diff := cmp.Diff(content.Counts{Credentials: 1, Profiles: 1, Policies: 1, Executions: 1, Parts: 8, Days: 1},
		plan.File); diff != "" || plan.Whole {
		t.Error(diff)
	}
	if state(plan, "credential:MINE").State != StateNew || state(plan, "profile:"+mine.Handle).State != StateNew {
		t.Errorf("%+v", plan.Items)
	}
	plan = newFixture(t, "cccc").plan(h.export(Selection{Profiles: []string{mine.Handle}}))
	if plan.File.Executions != 0 || plan.File.Days != 0 {
		t.Errorf("history came along: %+v", plan.File)
	}
	_, err := h.Export(t.Context(), person(), &bytes.Buffer{}, app.NewSecret(words),
		Selection{Profiles: []string{"nobody"}}, nil)
	wantCode(t, "unknown profile", err, app.CodeNotFound)
}

func TestAgentsMayNothing(t *testing.T) {
	h := newFixture(t, "aaaa")
	for _, by := range []app.Actor{{Kind: app.ActorAgent, Name: "x"}, {}} {
		_, err := h.Export(t.Context(), by, &bytes.Buffer{}, app.NewSecret(words), all(), nil)
		wantCode(t, "export", err, app.CodeForbidden)
		_, err = h.Plan(t.Context(), by, upload(nil), nil)
		wantCode(t, "plan", err, app.CodeForbidden)
		_, err = h.Import(t.Context(), by, upload(nil), Choice{}, "", nil)
		wantCode(t, "import", err, app.CodeForbidden)
	}
}

func TestWeakPassphraseIsRefused(t *testing.T) {
	h := newFixture(t, "aaaa")
	var out bytes.Buffer
	_, err := h.Export(t.Context(), person(), &out, app.NewSecret("password1234"), all(), nil)
	wantCode(t, "weak", err, app.CodeInvalidField)
	if out.Len() > 0 {
		t.Error("something was written all the same")
	}
}

// What is written while an export runs is not in it, and does not wait for it.
func TestExportIsOneMoment(t *testing.T) {
	h := newFixture(t, "aaaa")
	p := h.Locked("a", nil)
	for range 30 { // enough for some chunks to be written before the end
		h.Out = ""
		for range 200 {
			h.Out += app.NewID()
		}
		h.Execution(p)
	}
	var file bytes.Buffer
	chunks := 0
	w := writerFunc(func(b []byte) (int, error) {
		if chunks++; chunks == 2 { // behind the header
			h.Execution(p)
			h.Credential("LATE", "value-of-late")
		}
		return file.Write(b)
	})
	done := must[Exported](t)(h.Export(t.Context(), person(), w, app.NewSecret(words), all(), nil))
	if done.Counts.Executions != 30 || done.Counts.Credentials != 0 || chunks < 3 {
		t.Errorf("%+v in %d chunks", done.Counts, chunks)
	}
	if plan := h.plan(file.Bytes()); plan.Here != 30 {
		t.Errorf("%+v", plan)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
