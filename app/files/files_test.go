package files

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storetest"
)

type desk struct {
	*Files
	t   *testing.T
	dir string
	now time.Time
}

func newDesk(t *testing.T, quota int64) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), now: time.Now()}
	storage, err := blobs.OpenDir(d.dir)
	d.no(err)
	ring, err := secrets.NewKeyring(app.NewSecret(strings.Repeat("k", 40)))
	d.no(err)
	s := storetest.Open(t)
	d.Files = New(Config{Store: s, Keyring: ring, Storage: storage, Dir: d.dir, Quota: quota,
		Now: func() time.Time { return d.now }})
	d.no(s.Write(t.Context(), func(tx *store.Tx) error {
		for _, handle := range []string{"ours", "theirs"} {
			if err := tx.Profiles.Insert(t.Context(), store.Profile{Profile: app.Profile{Handle: handle, CreatedAt: d.now},
				Lookup: []byte(handle), SealedID: []byte("x")}); err != nil {
				return err
			}
		}
		return nil
	}))
	return d
}

func (d *desk) no(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) upload(profile, content string) app.File {
	d.t.Helper()
	f, err := d.Upload(d.t.Context(), profile, "a.csv", strings.NewReader(content))
	d.no(err)
	return f
}

func (d *desk) blobs() []string {
	d.t.Helper()
	list, err := filepath.Glob(filepath.Join(d.dir, "*"))
	d.no(err)
	return list
}

func (d *desk) read(profile, id string) (string, error) {
	list, err := d.Resolve(d.t.Context(), profile, map[string]string{"a": id}, app.MaxFileBytes)
	if err != nil {
		return "", err
	}
	content, err := d.Open(context.Background(), list[0].Blob)
	if err != nil {
		return "", err
	}
	defer content.Close()
	text, err := io.ReadAll(content)
	return string(text), err
}

// TestAnUploadIsToldAsItIsListed: the store keeps milliseconds.
func TestAnUploadIsToldAsItIsListed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0)
	d.now = d.now.Add(123456789)
	f := d.upload("ours", "a")
	if list, err := d.List(t.Context(), "ours"); err != nil || len(list) != 1 || list[0] != f {
		t.Errorf("%+v, %v, want %+v", list, err, f)
	}
}

func TestAContentIsKeptOnceAndSealed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0)
	const text = "a text that nobody reads on the disk"
	a, b := d.upload("ours", text), d.upload("theirs", text)
	if a.ID == b.ID || a.SHA256 != b.SHA256 || a.Size != int64(len(text)) {
		t.Errorf("%+v, %+v", a, b)
	}
	list := d.blobs()
	if len(list) != 1 {
		t.Fatalf("%d blobs", len(list))
	}
	raw, err := os.ReadFile(list[0])
	d.no(err)
	if bytes.Contains(raw, []byte("nobody")) {
		t.Error("it is readable")
	}
	for profile, id := range map[string]string{"ours": a.ID, "theirs": b.ID} {
		if got, err := d.read(profile, id); got != text || err != nil {
			t.Errorf("%s reads %q, %v", profile, got, err)
		}
	}
	if _, err := d.read("theirs", a.ID); app.CodeOf(err) != app.CodeFileNotFound {
		t.Errorf("another profile's file: %v", err)
	}
}

func TestAMovedOrChangedBlobDoesNotOpen(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0)
	a := d.upload("ours", "one")
	first := d.blobs()[0]
	b := d.upload("ours", "two")
	var second string
	for _, path := range d.blobs() {
		if path != first {
			second = path
		}
	}
	one, err := os.ReadFile(first)
	d.no(err)
	d.no(os.WriteFile(second, one, 0o600))
	if got, err := d.read("ours", b.ID); err == nil {
		t.Errorf("a blob under another's name reads %q", got)
	}
	one[0] ^= 1
	d.no(os.WriteFile(first, one, 0o600))
	if got, err := d.read("ours", a.ID); err == nil {
		t.Errorf("a changed blob reads %q", got)
	}
}

func TestQuotaAndSizeAreRefused(t *testing.T) {
	t.Parallel()
	const most = 60 << 10
	d := newDesk(t, 100<<10)
	d.upload("ours", strings.Repeat("a", most))
	_, err := d.Upload(t.Context(), "ours", "b", strings.NewReader(strings.Repeat("b", most)))
	if app.CodeOf(err) != app.CodeTooLarge {
		t.Errorf("over the quota: %v", err)
	}
	d.upload("theirs", strings.Repeat("b", most)) // each has its own
	_, err = newDesk(t, 0).Upload(t.Context(), "ours", "c", io.LimitReader(zeros{}, app.MaxFileBytes+1))
	if app.CodeOf(err) != app.CodeTooLarge {
		t.Errorf("over the size: %v", err)
	}
	_, err = d.Upload(t.Context(), "nobody", "c", strings.NewReader("c"))
	if app.CodeOf(err) != app.CodeProfileRevoked {
		t.Errorf("no profile: %v", err)
	}
}

// TestHoleDeletedContentsCount: contents of deleted files and refused uploads stayed uncounted for
// an hour, so one profile could fill the disk.
func TestHoleDeletedContentsCount(t *testing.T) {
	t.Parallel()
	const size = 10 << 10
	d := newDesk(t, 4*size)
	content := func(n int) string { return strings.Repeat(string(rune('a'+n)), size) }
	var all sync.WaitGroup
	for n := range 16 { // at once
		all.Go(func() { _, _ = d.Upload(t.Context(), "ours", "a.csv", strings.NewReader(content(n))) })
	}
	all.Wait()
	for n := range 4 { // fewer are there if some refused each other
		_, _ = d.Upload(t.Context(), "ours", "a.csv", strings.NewReader(content(16+n)))
	}
	list, err := d.List(t.Context(), "ours")
	d.no(err)
	if len(list) != 4 || len(d.blobs()) != 4 || len(d.keeping) != 0 {
		t.Fatalf("%d files, %d contents, %v", len(list), len(d.blobs()), d.keeping)
	}
	d.no(d.Delete(t.Context(), "ours", list[0].ID))
	if _, err := d.read("ours", list[0].ID); app.CodeOf(err) != app.CodeFileNotFound {
		t.Errorf("a deleted file: %v", err)
	}
	if err := d.Delete(t.Context(), "ours", list[0].ID); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("deleted twice: %v", err)
	}
	_, err = d.Upload(t.Context(), "ours", "a.csv", strings.NewReader(content(20)))
	if app.CodeOf(err) != app.CodeTooLarge || len(d.blobs()) != 4 {
		t.Errorf("the deleted content is on the disk and doesn't count: %v, %d contents", err, len(d.blobs()))
	}
	d.no(d.Collect(t.Context()))
	d.upload("ours", content(20))
}

// TestHoleTinyFiles: one-byte files took all inodes and hardly counted, and one answer listed all
// of them.
func TestHoleTinyFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 10*app.MinKeptBytes)
	for range 10 {
		d.upload("ours", "x")
	}
	if _, err := d.Upload(t.Context(), "ours", "b", strings.NewReader("")); app.CodeOf(err) != app.CodeTooLarge {
		t.Errorf("over the quota: %v", err)
	}
	d = newDesk(t, 0)
	for range app.MaxListedFiles + 1 {
		d.upload("ours", "x")
	}
	if list, err := d.List(t.Context(), "ours"); err != nil || len(list) != app.MaxListedFiles {
		t.Errorf("%d files are listed, %v", len(list), err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestFilesEndAndTheirContentsGo(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0)
	gone, stays := d.upload("ours", "gone"), d.upload("ours", "stays")
	d.no(d.Delete(t.Context(), "ours", gone.ID))
	if err := d.Delete(t.Context(), "theirs", stays.ID); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("another deletes it: %v", err)
	}
	d.no(d.Collect(t.Context()))
	if n := len(d.blobs()); n != 2 {
		t.Errorf("%d blobs, a moment after a delete: somebody may just have found the content", n)
	}
	d.now = d.now.Add(unusedLife + time.Minute)
	d.no(d.Collect(t.Context()))
	if n := len(d.blobs()); n != 1 {
		t.Errorf("%d blobs", n)
	}
	if got, err := d.read("ours", stays.ID); got != "stays" {
		t.Errorf("%q, %v", got, err)
	}
	d.now = d.now.Add(app.UnusedFileLife)
	if _, err := d.read("ours", stays.ID); app.CodeOf(err) != app.CodeFileNotFound {
		t.Errorf("after its time: %v", err)
	}
	d.no(d.Collect(t.Context()))
	if n := len(d.blobs()); n != 0 {
		t.Errorf("%d blobs after their time", n)
	}
}

func TestStraysGoAfterADayAndNothingElse(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0)
	d.upload("ours", "ours")
	known := d.blobs()[0]
	stray, fresh := filepath.Join(d.dir, d.prefix+"stray"), filepath.Join(d.dir, d.prefix+"fresh")
	foreign := filepath.Join(d.dir, "notes.txt")
	for _, path := range []string{stray, fresh, foreign} {
		d.no(os.WriteFile(path, []byte("x"), 0o600))
	}
	for _, path := range []string{stray, known, foreign} {
		old := d.now.Add(-strayLife - time.Hour)
		d.no(os.Chtimes(path, old, old))
	}
	d.no(d.Collect(t.Context()))
	for path, want := range map[string]bool{stray: false, fresh: true, known: true, foreign: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestHoleInstancesThatShareABucketDeletedEachOthersFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0)
	f := d.upload("ours", "a")
	other := newDesk(t, 0)
	ring, err := secrets.NewKeyring(app.NewSecret(strings.Repeat("o", 40)))
	d.no(err)
	other.Files = New(Config{Store: other.cfg.Store, Keyring: ring, Storage: d.cfg.Storage, Dir: other.dir,
		Now: func() time.Time { return d.now.Add(2 * strayLife) }})
	d.no(other.Collect(t.Context()))
	if got, err := d.read("ours", f.ID); err != nil || got != "a" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestNamesAreStrict(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"orders.csv", "a..b", ".hidden", "Übersicht 2026.xlsx", "表.csv", "-rf"} {
		if problem := NameProblem(name); problem != "" {
			t.Errorf("%q %s", name, problem)
		}
	}
	for _, name := range []string{"", ".", "..", "a/b", `a\b`, "a\nb", "a\x00", "\xff", "U\u0308", "a\u202egpj.exe", " a", "a ",
		strings.Repeat("a", 256)} {
		if NameProblem(name) == "" {
			t.Errorf("%q is accepted", name)
		}
	}
	d := newDesk(t, 0)
	id := d.upload("ours", "x").ID
	_, err := d.Resolve(t.Context(), "ours", map[string]string{"STRASSE.csv": id, "straße.csv": id}, app.MaxFileBytes)
	if app.CodeOf(err) != app.CodeInvalidField {
		t.Errorf("twins: %v", err)
	}
	_, err = d.Resolve(t.Context(), "ours", map[string]string{"a": id}, 0)
	if app.CodeOf(err) != app.CodeTooLarge {
		t.Errorf("no room: %v", err)
	}
}

// TestContentThatIsGoneIsSaidAndMended: a lost blob is not found, and the next upload of its
// content rewrites it.
func TestContentThatIsGoneIsSaidAndMended(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0)
	file := d.upload("ours", "a content")
	for _, blob := range d.blobs() {
		d.no(os.Remove(blob))
	}
	if _, err := d.read("ours", file.ID); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("%v", err)
	}
	d.upload("ours", "a content")
	if got, err := d.read("ours", file.ID); err != nil || got != "a content" {
		t.Errorf("%q, %v", got, err)
	}
}
