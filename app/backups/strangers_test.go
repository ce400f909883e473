package backups

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/store"
)

// A stranger may write to the storage, and adds files with backups' names. Airlock must not delete
// good backups for them, nor the stranger's files.
func TestStrangersFilesPushNoBackupOut(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	c, target := timed(h), t.TempDir()
	h.No(h.SetBackupSettings(t.Context(), person(), toDir(target))) // keeps two
	stranger := func(minute int) string {
		name := "airlock-aaaa-" + time.Date(2026, 3, 4, 12, minute, 30, 0, time.UTC).Format(stampForm) + ".airlock"
		h.No(os.WriteFile(filepath.Join(target, name), []byte("not a backup"), 0o600))
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
	h.No(os.WriteFile(filepath.Join(target, third), []byte("not the backup any more"), 0o600))
	fourth := back()
	want = append([]string{second, third, fourth}, strange...)
	slices.Sort(want)
	if diff := cmp.Diff(want, names(t, target)); diff != "" {
		t.Error(diff)
	}
}

// A database that was set back or restored doesn't know its newer backups, so it deletes none of
// them.
func TestBackupsThatAreNotKnownStay(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	target := t.TempDir()
	var want []string
	for day := range 4 {
		c := timed(h)
		c.set(c.now().AddDate(0, 0, day))
		h.No(h.SetBackupSettings(t.Context(), person(), toDir(target)))
		want = append(want, must[store.Backup](t)(h.BackUp(t.Context(), person())).Name)
		h, _, _ = furnished(t, "aaaa") // the same label, another database
	}
	if diff := cmp.Diff(want, names(t, target)); diff != "" {
		t.Error(diff)
	}
}
