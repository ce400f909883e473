package transfer

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// An export of the new instance equals the imported file.
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
	if count(plan, "credential", StateNew) != 2 || count(plan, "profile", StateNew) != 3 || plan.File.Executions != 3 ||
		plan.Own || !plan.Whole || plan.File.Events == 0 {
		t.Errorf("plan: %+v", plan)
	}
	report := fresh.take(file, Choice{History: true})
	if report.Credentials != 2 || report.Profiles != 3 || report.Executions != 3 || report.Skipped != 0 {
		t.Errorf("report: %+v", report)
	}

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
	if count(plan, "credential", StateSame) != 2 || count(plan, "profile", StateSame) != 3 {
		t.Errorf("second plan: %+v", plan)
	}
	if report := fresh.take(file,
		Choice{History: true}); report.Credentials+report.Profiles+report.Executions != 0 ||
		report.Skipped != 3 {
		t.Errorf("second report: %+v", report)
	}
}

// comparableRecords drops what belongs to one instance: maker, time, audit log, counts of use.
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
		_, err = h.Import(t.Context(), by, upload(nil), Choice{}, Plan{}, nil)
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

// An export excludes later writes, and they don't wait for it.
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
	if report := h.take(file.Bytes(), Choice{History: true}); report.Skipped != 30 {
		t.Errorf("%+v", report)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// update writes the golden files of a new content version. Delete them first: files of released
// versions exist outside, too, so they are never overwritten.
//
//nolint:gochecknoglobals // a flag of the test program
var update = flag.Bool("update", false, "write missing golden files of the content version")

func golden(end string) string {
	return fmt.Sprintf("testdata/content-%d.%s", content.Version, end)
}

func newGolden(t *testing.T, path string, text []byte) {
	t.Helper()
	if !*update {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if os.IsExist(err) {
		return
	}
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// This program and the plain reader in docs read a golden file alike. Its passphrase is the one of
// the tests.
func TestGoldenFileIsRead(t *testing.T) {
	if *update {
		h, _, _ := furnished(t, "aaaa")
		second := newFixture(t, "bbbb") // so that there is an archived audit log, too
		second.take(h.export(Selection{History: true, Artifacts: true}), Choice{History: true})
		second.cfg.Cost = archive.DefaultCost()
		file := second.export(Selection{History: true, Artifacts: true})
		newGolden(t, golden("airlock"), file)
		newGolden(t, golden("jsonl"), must[[]byte](t)(unsealed(file)))
	}
	file, want := must[[]byte](t)(os.ReadFile(golden("airlock"))), must[[]byte](t)(os.ReadFile(golden("jsonl")))
	got := must[[]byte](t)(unsealed(file))
	if !bytes.Equal(got, want) {
		t.Errorf("today's reader finds %d bytes, %d are right", len(got), len(want))
	}
	python := exec.CommandContext(t.Context(), "/usr/bin/python3", "../../docs/read_airlock.py", golden("airlock"))
	python.Stdin = strings.NewReader(words + "\n")
	if got := must[[]byte](t)(python.Output()); !bytes.Equal(got, want) {
		t.Errorf("the reader in docs finds %d bytes, %d are right", len(got), len(want))
	}
	fresh := newFixture(t, "cccc")
	counts := must[content.Counts](t)(fresh.Fill(t.Context(), upload(file), nil))
	if counts.Credentials == 0 || counts.Profiles == 0 || counts.Policies == 0 || counts.Executions == 0 ||
		counts.Parts == 0 || counts.Days == 0 || counts.Events == 0 || counts.Archived == 0 {
		t.Errorf("something is not in the golden file: %+v", counts)
	}
	again := newFixture(t, "dddd")
	plan := again.plan(file)
	if report := again.take(file, Choice{History: true}); report.Profiles != counts.Profiles ||
		report.Executions != counts.Executions || plan.File != counts {
		t.Errorf("%+v", report)
	}
}

// A member more, fewer or of another type needs a new content version. Until version 1 is released,
// delete its files and let -update write them.
func TestContentIsWhatItsVersionSays(t *testing.T) {
	var got bytes.Buffer
	members(&got, "", reflect.TypeOf(content.Record{}))
	newGolden(t, golden("txt"), got.Bytes())
	want := must[[]byte](t)(os.ReadFile(golden("txt")))
	if sorted := func(text []byte) []string { // JSON members have no order
		return slices.Sorted(strings.Lines(string(text)))
	}; !slices.Equal(sorted(got.Bytes()), sorted(want)) {
		t.Errorf("the lines have changed and content.Version has not; they are now:\n%s", got.String())
	}
}

// members writes names and types of all members of a type's JSON.
func members(w io.Writer, path string, kind reflect.Type) {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Uint8 {
		if kind.Kind() == reflect.Slice {
			path += "[]"
		}
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct || kind == reflect.TypeOf(time.Time{}) || kind == reflect.TypeOf(app.Secret{}) {
		_, _ = fmt.Fprintln(w, path, kind.Kind())
		return
	}
	outer := map[string]bool{}
	for i := range kind.NumField() {
		if f := kind.Field(i); !f.Anonymous {
			outer[memberName(f)] = true
		}
	}
	for i := range kind.NumField() {
		f := kind.Field(i)
		name := memberName(f)
		switch {
		case f.Anonymous:
			for j := range f.Type.NumField() { // a member of the outer record hides the row's
				if inner := f.Type.Field(j); memberName(inner) != "-" && !outer[memberName(inner)] {
					members(w, path+"."+memberName(inner), inner.Type)
				}
			}
		case name != "-":
			members(w, path+"."+name, f.Type)
		}
	}
}

func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return f.Name
	}
	return name
}

// A Python reader made from docs/airlock-file.md finds the written lines.
func TestPlainPythonReadsTheFile(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	h.Out = strings.Repeat("noise ", 50_000)
	file := h.export(all())
	path := filepath.Join(t.TempDir(), "x.airlock")
	h.No(os.WriteFile(path, file, 0o600))
	python := func(words string) (string, error) {
		command := exec.CommandContext(t.Context(), "/usr/bin/python3", "../../docs/read_airlock.py", path)
		command.Stdin = strings.NewReader(words + "\n")
		out, err := command.Output()
		return string(out), err
	}
	out, err := python(words)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	for _, r := range h.dump(all()) {
		if r.Airlock == nil && r.Event == nil && r.End == nil { // the export itself was audited since
			h.No(enc.Encode(r))
		}
	}
	var got strings.Builder
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, `{"airlock"`) && !strings.HasPrefix(line, `{"event"`) &&
			!strings.HasPrefix(line, `{"end"`) {
			got.WriteString(line)
		}
	}
	if got.String() != want.String() || want.Len() == 0 {
		t.Errorf("%d bytes were read, %d are right", got.Len(), want.Len())
	}
	if _, err := python("other words"); err == nil {
		t.Error("another passphrase opens it")
	}
	h.No(os.WriteFile(path, file[:len(file)-1], 0o600))
	if _, err := python(words); err == nil {
		t.Error("a file without its end is read")
	}
}

// An execution from a time of larger limits is an error that names it, not an unreadable file.
func TestNoLineIsWrittenThatCannotBeRead(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	db := must[*sql.DB](t)(sql.Open("sqlite", filepath.Join(h.Dir, store.FileName)+"?_pragma=busy_timeout(10000)"))
	must[sql.Result](t)(db.ExecContext(t.Context(),
		"UPDATE execution_outputs SET stdout = CAST(zeroblob(12000000) AS TEXT)"))
	h.No(db.Close())
	_, err := h.Export(t.Context(), person(), io.Discard, app.NewSecret(words), Selection{History: true}, nil)
	wantCode(t, "export", err, app.CodeTooLarge)
	if err == nil || !strings.Contains(err.Error(), "execution ") {
		t.Errorf("%v", err)
	}
	_, err = h.Export(t.Context(), person(), io.Discard, app.NewSecret(words), Selection{}, nil)
	h.No(err)
}

// Files, agents and scripts must never make a file of ours unreadable: every later backup would
// fail.

// Each import may bring 64 keys of question hashes. A file holds 64, including this instance's own.
func TestKeysOfQuestionsLeaveBackupsReadable(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	for from := range byte(2) {
		evil := newFixture(t, "bbbb")
		h.take(forge(t, evil, func(r *content.Record) bool {
			if r.Airlock != nil {
				r.Airlock.AskedKeys = nil
				for i := range byte(64) {
					key := sha256.Sum256([]byte{from, i})
					r.Airlock.AskedKeys = append(r.Airlock.AskedKeys, key[:])
				}
			}
			return true
		}), Choice{History: true})
	}
	h.staysReadable()
}

// Scripts report lines that failed or wanted a host.
func TestLinesThatScriptsClaimLeaveBackupsReadable(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	h.No(h.Store.Write(t.Context(), func(tx *store.Tx) error {
		row, err := tx.Profiles.ByHandle(t.Context(), p.Handle)
		if err != nil {
			return err
		}
		_, err = tx.Profiles.RequestHost(t.Context(), row.Row, hosts(t, "other.example")[0], "x", 1<<62, person(), h.now())
		return err
	}))
	db := must[*sql.DB](t)(sql.Open("sqlite", filepath.Join(h.Dir, store.FileName)+"?_pragma=busy_timeout(10000)"))
	for _, change := range []string{"UPDATE executions SET error_line = 1 << 62",
		"UPDATE connections SET line = 1 << 62"} {
		must[sql.Result](t)(db.ExecContext(t.Context(), change))
	}
	h.No(db.Close())
	h.staysReadable()
}

func wide(n int) (list []app.Host) {
	var ports []int
	for port := range 16 {
		ports = append(ports, port+1)
	}
	for i := range n {
		list = append(list, app.Host{Name: fmt.Sprintf("h%d.example", i), Ports: ports,
			Reason: strings.Repeat("r", app.MaxDescription)})
	}
	return list
}

// All that agents may store, such as fifty waiting profiles, must leave a file that its reader
// accepts.
func TestWhatAgentsAskForLeavesBackupsReadable(t *testing.T) {
	h := newFixture(t, "aaaa")
	agent := app.Actor{Kind: app.ActorAgent, Address: "192.0.2.9"}
	p := must[app.Profile](t)(h.Desk.Profiles.Create(t.Context(), agent, strings.Repeat("d", app.MaxDescription)))
	var keys []app.Key
	for k := range app.MaxKeys {
		keys = append(keys, app.Key{Name: fmt.Sprintf("KEY_%d", k), Description: strings.Repeat("d", app.MaxDescription),
			Hosts: wide(app.MaxHosts)})
	}
	_, err := h.Desk.Keys.Add(t.Context(), agent, p.Handle, keys)
	wantCode(t, "as many hosts as a profile may have, for each key", err, app.CodeInvalidField)
	for i := range keys {
		keys[i].Hosts = wide(app.MaxKeyHosts / app.MaxKeys)
	}
	must[app.Profile](t)(h.Desk.Keys.Add(t.Context(), agent, p.Handle, keys))
	line, waiting := []byte(nil), 50
	for _, r := range h.dump(Selection{}) {
		if r.Profile != nil {
			line = must[[]byte](t)(json.Marshal(r))
		}
	}
	if values := content.CountValues(line); waiting*values > content.MaxArrangedValues/2 ||
		waiting*len(line) > content.MaxArranged/2 {
		t.Errorf("one profile takes %d values and %d bytes", values, len(line))
	}
}

// An export and import of 64 MiB need less than 16 MiB of memory.
func TestMemoryStaysConstant(t *testing.T) {
	h := newFixture(t, "aaaa")
	p := h.Locked("p", nil)
	noise := make([]byte, 0, 1<<20)
	for range 40 {
		noise = noise[:0]
		for len(noise) < 1<<20 {
			noise = append(noise, app.NewID()...)
		}
		h.Out = string(noise)
		h.Execution(p)
	}
	h.Out, h.Left = "", strings.Repeat(string(noise), 24)
	h.Execution(p)
	h.Left, noise = "", nil
	base, peak := heap(), uint64(0)
	look := func() { peak = max(peak, heap()) }
	path := filepath.Join(t.TempDir(), "x")
	out := must[*os.File](t)(os.Create(path))
	n := 0
	must[Exported](t)(h.Export(t.Context(), person(), writerFunc(func(b []byte) (int, error) {
		if n++; n%100 == 0 {
			look()
		}
		return out.Write(b)
	}), app.NewSecret(words), withArtifacts(), nil))
	h.No(out.Close())
	fresh := newFixture(t, "bbbb")
	file := must[Upload](t)(OpenFile(path, app.NewSecret(words)))
	open := file.Open
	file.Open = func() (io.ReadCloser, error) {
		f, err := open()
		return struct {
			io.Reader
			io.Closer
		}{looking{f, look}, f}, err
	}
	must[content.Counts](t)(fresh.Fill(t.Context(), file, nil))
	if n < 300 || peak > base+16<<20 {
		t.Errorf("%d chunks, %d MiB at the most, %d MiB before", n, peak>>20, base>>20)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// looking calls look after each read.
type looking struct {
	io.Reader
	look func()
}

func (l looking) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	l.look()
	return n, err
}
