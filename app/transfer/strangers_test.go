package transfer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Who may write to the storage, and delete nothing there, puts files with the names of backups
// between and behind the good ones. Good ones must not be deleted for them, and what a stranger put
// there is not Airlock's to delete.
func TestStrangersFilesPushNoBackupOut(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	c, target := timed(h), t.TempDir()
	h.no(h.SetBackupSettings(t.Context(), person(), toDir(target))) // keeps two
	stranger := func(minute int) string {
		name := "airlock-aaaa-" + time.Date(2026, 3, 4, 12, minute, 30, 0, time.UTC).Format(stampForm) + ".airlock"
		h.no(os.WriteFile(filepath.Join(target, name), []byte("not a backup"), 0o600))
		return name
	}
	back := func() string {
		c.set(c.now().Add(10 * time.Minute))
		b := must[store.Backup](t)(h.BackUp(t.Context(), person()))
		if b.Error != "" {
			t.Error(b.Error)
		}
		return b.Name
	}
	first := back() // 12:40
	var strange []string
	for minute := 35; minute < 59; minute++ {
		strange = append(strange, stranger(minute))
	}
	second, third := back(), back()
	want := append([]string{second, third}, strange...)
	slices.Sort(want)
	if diff := cmp.Diff(want, names(t, target)); diff != "" || slices.Contains(want, first) {
		t.Error(diff)
	}
	// One that was exchanged for something else counts for nothing: the one before it stays.
	h.no(os.WriteFile(filepath.Join(target, third), []byte("not the backup any more"), 0o600))
	fourth := back()
	want = append([]string{second, third, fourth}, strange...)
	slices.Sort(want)
	if diff := cmp.Diff(want, names(t, target)); diff != "" {
		t.Error(diff)
	}
}

// A database that forgot its backups, since it was set back or restored, deletes none of them: it
// can't know which are good.
func TestBackupsThatAreNotKnownStay(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	target := t.TempDir()
	var want []string
	for day := range 4 {
		c := timed(h)
		c.set(c.now().AddDate(0, 0, day))
		h.no(h.SetBackupSettings(t.Context(), person(), toDir(target)))
		want = append(want, must[store.Backup](t)(h.BackUp(t.Context(), person())).Name)
		h, _, _ = furnished(t, "aaaa") // the same label, another database
	}
	if diff := cmp.Diff(want, names(t, target)); diff != "" {
		t.Error(diff)
	}
}

// A file that goes on with an audit log which its maker has, under that log's label, can't be told
// from the true one. So this instance's own log says which import, and whose, brought what.
func TestEachArchivedEventIsTracedToItsImport(t *testing.T) {
	old := newHouse(t, "aaaa")
	old.credential("TRUE", "value-of-true")
	file := old.export(all())
	forger := newHouse(t, "aaaa")
	must[Counts](t)(forger.Fill(t.Context(), upload(file), nil))
	forger.credential("FORGED", "value-of-forged")

	h := newHouse(t, "bbbb")
	h.take(file, Choice{History: true})
	mallory := app.Actor{Kind: app.ActorPerson, Name: "mallory"}
	forged := forger.export(all())
	must[Report](t)(h.Import(t.Context(), mallory, upload(forged), Choice{History: true}, h.plan(forged).Digest, nil))
	h.take(file, Choice{History: true}) // brings nothing new
	var got []app.Event
	for _, e := range must[[]app.Event](t)(h.desk.Audit.Latest(t.Context(), 1000)) {
		if e.Action == "transfer.archive" {
			got = append([]app.Event{e}, got...)
		}
	}
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []struct{ by, says string }{{"anna", "1 to 2, "}, {"mallory", "3 to 4, "}} {
		if got[i].Subject != "aaaa" || got[i].Actor.Name != want.by || !strings.Contains(got[i].Detail, "number "+want.says) {
			t.Errorf("%+v, want %+v", got[i], want)
		}
	}
}
