package transfer

import (
	"bytes"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/content"
)

// Failed imports leave no restore point: three would push out that of a successful one.
func TestFailedImportPushesNoRestorePointOut(t *testing.T) {
	_, b, _ := twins(t)
	kept := must[[]RestorePoint](t)(b.RestorePoints())
	file := b.export(all())
	for range maxPoints + 1 {
		_, err := b.Import(t.Context(), person(), upload(file), Choice{}, Plan{}, nil)
		wantCode(t, "another plan", err, app.CodeConflict)
	}
	if diff := cmp.Diff(kept, must[[]RestorePoint](t)(b.RestorePoints())); len(kept) != 1 || diff != "" {
		t.Errorf("%d were there: %s", len(kept), diff)
	}
	for range maxPoints + 1 {
		b.take(file, Choice{})
	}
	if now := must[[]RestorePoint](t)(b.RestorePoints()); len(now) != maxPoints || slices.Contains(now, kept[0]) {
		t.Errorf("%v", now)
	}
}

// The next start removes incomplete files of a killed process and keeps whole ones.
func TestTidyRemovesWhatIsUnfinished(t *testing.T) {
	h := newFixture(t, "aaaa")
	before := names(t, h.Dir)
	whole := []string{"before-import-20260101T000000.000Z.db", "before-restore-20260101T000000.000Z.db"}
	for _, name := range append([]string{"transfer-1", "backup-1", "restore-1",
		"before-import-20260101T000000.000Z.db.7.tmp"}, whole...) {
		h.No(os.WriteFile(filepath.Join(h.Dir, name), []byte("x"), 0o600))
	}
	h.No(h.Tidy())
	want := append(before, whole...)
	slices.Sort(want)
	if diff := cmp.Diff(want, names(t, h.Dir)); diff != "" {
		t.Error(diff)
	}
}

// Without room, uploads, exports and imports are refused. They leave no file and change nothing.
func TestFullDisk(t *testing.T) {
	a, b, _ := twins(t)
	a.Credential("ONE_MORE", "value-of-one-more")
	file := a.export(all())
	plan := b.plan(file)
	before, had := names(t, b.Dir), content.JSON(comparableRecords(b.dump(all())))
	b.cfg.FreeSpace = func(string) (int64, error) { return 1 << 20, nil }

	_, _, err := b.Receive(bytes.NewReader(file))
	wantCode(t, "upload", err, app.CodeTooLarge)
	_, err = b.Import(t.Context(), person(), upload(file), Choice{}, plan, nil)
	wantCode(t, "import", err, app.CodeTooLarge)
	id := must[string](t)(b.StartExport(person(), app.NewSecret(words), all()))
	<-b.jobs.done
	if j := must[Job](t)(b.Job(id)); app.CodeOf(j.Err) != app.CodeTooLarge {
		t.Errorf("export: %v", j.Err)
	}
	if diff := cmp.Diff(before, names(t, b.Dir)); diff != "" {
		t.Errorf("something is left: %s", diff)
	}
	if content.JSON(comparableRecords(b.dump(all()))) != had {
		t.Error("something was changed")
	}
}

// A write that uses up the room ends before the database has none.
func TestDiskFillsUpMeanwhile(t *testing.T) {
	h := newFixture(t, "aaaa")
	looks := 0
	h.cfg.FreeSpace = func(string) (int64, error) { looks++; return map[bool]int64{true: 1 << 40}[looks == 1], nil }
	before := names(t, h.Dir)
	_, _, err := h.Receive(io.LimitReader(rand.Reader, 40<<20))
	wantCode(t, "upload", err, app.CodeTooLarge)
	if diff := cmp.Diff(before, names(t, h.Dir)); looks != 2 || diff != "" {
		t.Errorf("%d looks, left: %s", looks, diff)
	}
}

// A small file unpacks to a hundred thousand times as much history, which a preview only counts. An
// import begins only if the disk has room for them in the write-ahead log and the database.
func TestTheHistoryOfASmallFileFillsNoDisk(t *testing.T) {
	old := newFixture(t, "aaaa")
	p := old.Locked("much to say", nil)
	old.Out = strings.Repeat("0", 12<<20)
	for range 4 {
		old.Execution(p)
	}
	file := old.export(all())
	if len(file) > 1<<20 {
		t.Fatalf("the file has %d bytes", len(file))
	}
	h := newFixture(t, "bbbb")
	plan := h.plan(file)
	before := names(t, h.Dir)
	// room for the restore point and a part of the history
	h.cfg.FreeSpace = func(string) (int64, error) { return 100 << 20, nil }
	_, err := h.Import(t.Context(), person(), upload(file), Choice{History: true}, plan, nil)
	wantCode(t, "import", err, app.CodeTooLarge)
	if diff := cmp.Diff(before, names(t, h.Dir)); diff != "" {
		t.Errorf("something is left: %s", diff)
	}
	if len(h.dump(all())) != 2 { // its first and last line
		t.Error("something was changed")
	}
	// Without its history, or with room, the file is imported.
	must[Report](t)(h.Import(t.Context(), person(), upload(file), Choice{}, plan, nil))
	h.cfg.FreeSpace = func(string) (int64, error) { return 1 << 40, nil }
	if report := h.take(file, Choice{History: true}); report.Executions != 4 {
		t.Errorf("%+v", report)
	}
}

// Of concurrent imports of one file, one succeeds and the others are told to look again.
func TestImportsAtOnce(t *testing.T) {
	a, b, _ := twins(t)
	a.Credential("ONE_MORE", "value-of-one-more")
	file := a.export(all())
	plan, other := b.plan(file), New(b.cfg) // as another process would be
	codes := make(chan app.Code, 4)
	for i := range cap(codes) {
		go func() {
			_, err := []*Service{b.Service, other}[i%2].Import(t.Context(), person(), upload(file), Choice{}, plan, nil)
			codes <- app.CodeOf(err)
		}()
	}
	got := map[app.Code]int{}
	for range cap(codes) {
		got[<-codes]++
	}
	if diff := cmp.Diff(map[app.Code]int{"": 1, app.CodeConflict: 3}, got); diff != "" {
		t.Error(diff)
	}
}
