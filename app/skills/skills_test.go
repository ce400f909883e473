package skills

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storetest"
)

var (
	ours   = app.Actor{Kind: app.ActorAgent, Name: "ours"}
	theirs = app.Actor{Kind: app.ActorAgent, Name: "theirs"}
	person = app.Actor{Kind: app.ActorPerson, Name: "ada"}
)

type desk struct {
	*Service
	t     *testing.T
	store *store.Store
	files *files.Files
	dir   string
	now   time.Time
}

func newDesk(t *testing.T, quota int64) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), now: time.Now().UTC().Truncate(time.Millisecond), store: storetest.Open(t)}
	storage, err := blobs.OpenDir(d.dir)
	d.no(err)
	ring, err := secrets.NewKeyring(app.NewSecret(strings.Repeat("k", 40)))
	d.no(err)
	now := func() time.Time { return d.now }
	d.files = files.New(files.Config{Store: d.store, Keyring: ring, Storage: storage, Dir: d.dir, Now: now})
	d.Service = New(Config{Store: d.store, Files: d.files, Now: now, Quota: quota})
	d.no(d.store.Write(t.Context(), func(tx *store.Tx) error {
		for _, handle := range []string{"ours", "theirs"} {
			if err := tx.Profiles.Insert(t.Context(), store.Profile{Profile: app.Profile{Handle: handle, CreatedAt: d.now},
				Lookup: []byte(handle), SealedID: []byte("x")}); err != nil {
				return err
			}
			p, err := tx.Profiles.ByHandle(t.Context(), handle)
			if err != nil {
				return err
			}
			p.Locked, p.Policy = true, 1
			if _, err := tx.Profiles.Update(t.Context(), p, time.Time{}, p.UpdatedAt, d.now); err != nil {
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

// made returns a bundle of a name and label that prints a text.
func (d *desk) made(name, label, text string) bundle.Bundle {
	d.t.Helper()
	dir := d.t.TempDir()
	skill := fmt.Sprintf("---\nname: %s\ndescription: Prints %s\nversion: %q\n---\nRun it.\n", name, text, label)
	d.no(os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(skill), 0o600))
	d.no(os.WriteFile(filepath.Join(dir, "main.py"), []byte("print("+fmt.Sprintf("%q", text)+")\n"), 0o600))
	d.no(os.WriteFile(filepath.Join(dir, "tool"), []byte("a tool"), 0o700))
	b, err := bundle.ReadFolder(dir)
	d.no(err)
	return b
}

func (d *desk) upload(by app.Actor, name, label, text string) Version {
	d.t.Helper()
	v, err := d.Upload(d.t.Context(), by, d.made(name, label, text))
	d.no(err)
	return v
}

func (d *desk) wantCode(err error, want app.Code) {
	d.t.Helper()
	if got := app.CodeOf(err); got != want {
		d.t.Errorf("got %v (%q), want %q", err, got, want)
	}
}

func (d *desk) blobs() []string {
	d.t.Helper()
	list, err := filepath.Glob(filepath.Join(d.dir, "*"))
	d.no(err)
	return list
}

func TestWhatWasUploadedIsReadBack(t *testing.T) {
	d := newDesk(t, 0)
	want := d.made("totals", "1.0", "one")
	v, err := d.Upload(t.Context(), ours, want)
	d.no(err)
	if v.Name != "totals" || v.Number != 1 || v.Label != "1.0" || v.State != Quarantined || v.Digest != want.Digest() ||
		v.Files != 3 || v.Size != want.Size() || v.By != ours || !v.Uploaded.Equal(d.now) || !v.Enabled || !v.Kept {
		t.Errorf("got %+v", v)
	}
	got, err := d.Open(t.Context(), v.Digest)
	d.no(err)
	if got.Digest() != want.Digest() || got.Instructions != want.Instructions {
		t.Errorf("got %+v, want %+v", got.Manifest, want.Manifest)
	}
	for _, name := range d.blobs() {
		raw, err := os.ReadFile(name)
		d.no(err)
		if bytes.Contains(raw, []byte("print(")) {
			t.Errorf("%s holds the files in the clear", name)
		}
	}
}

func TestTheSameFilesAreTheSameVersion(t *testing.T) {
	d := newDesk(t, 0)
	first := d.upload(ours, "totals", "1.0", "one")
	if again := d.upload(ours, "totals", "1.0", "one"); again.Number != first.Number || len(d.blobs()) != 1 {
		t.Errorf("got version %d and %d blobs", again.Number, len(d.blobs()))
	}
	if byPerson := d.upload(person, "totals", "1.0", "one"); byPerson.Number != first.Number {
		t.Errorf("a person's upload of the same files is version %d", byPerson.Number)
	}
	if next := d.upload(ours, "totals", "1.1", "two"); next.Number != 2 {
		t.Errorf("other files are version %d", next.Number)
	}
}

func TestANameOfOthersIsRefused(t *testing.T) {
	d := newDesk(t, 0)
	d.upload(ours, "totals", "", "one")
	d.upload(person, "official", "", "one")
	for _, name := range []string{"totals", "official"} {
		_, err := d.Upload(t.Context(), theirs, d.made(name, "", "two"))
		d.wantCode(err, app.CodeSkillNameTaken)
		_, err = d.Upload(t.Context(), theirs, d.made(name, "", "one")) // they learn nothing of its files
		d.wantCode(err, app.CodeSkillNameTaken)
	}
	if v := d.upload(person, "totals", "", "two"); v.Number != 2 {
		t.Errorf("a person's version is number %d", v.Number)
	}
	if len(d.blobs()) != 3 {
		t.Errorf("refused uploads left %d blobs", len(d.blobs()))
	}
}

// TestHoleStrangersSendSkills: anybody can make a profile, so an unlocked one must not take names,
// fill the disk or probe others' names.
func TestHoleStrangersSendSkills(t *testing.T) {
	d := newDesk(t, 0)
	d.no(d.store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.Profiles.Insert(t.Context(), store.Profile{Profile: app.Profile{Handle: "stranger", CreatedAt: d.now},
			Lookup: []byte("stranger"), SealedID: []byte("x")})
	}))
	d.upload(ours, "totals", "", "one")
	for _, name := range []string{"totals", "free"} {
		_, err := d.Upload(t.Context(), app.Actor{Kind: app.ActorAgent, Name: "stranger"}, d.made(name, "", "two"))
		d.wantCode(err, app.CodeProfileUnlocked)
	}
	if len(d.blobs()) != 1 {
		t.Errorf("refused uploads left %d blobs", len(d.blobs()))
	}
}

func TestARefusedUploadLeavesNothing(t *testing.T) {
	d := newDesk(t, 300)
	d.upload(ours, "totals", "", "one")
	_, err := d.Upload(t.Context(), ours, d.made("totals", "", strings.Repeat("x", 200)))
	d.wantCode(err, app.CodeTooLarge)
	_, err = d.Upload(t.Context(), app.Actor{Kind: app.ActorAgent, Name: "gone"}, d.made("other", "", "x"))
	d.wantCode(err, app.CodeNotFound)
	d.now = d.now.Add(2 * time.Hour)
	d.no(d.files.Collect(t.Context()))
	if len(d.blobs()) != 1 {
		t.Errorf("there are %d blobs, want that of the version", len(d.blobs()))
	}
	d.no(d.store.Read(t.Context(), func(tx *store.Tx) error {
		if list, err := tx.Skills.List(t.Context()); err != nil || len(list) != 1 {
			t.Errorf("got skills %v, %v", list, err)
		}
		return nil
	}))
	d.upload(person, "big", "", strings.Repeat("x", 200)) // people have no quota
}

func TestOnlySoManyVersionsWaitForReview(t *testing.T) {
	d := newDesk(t, 0)
	for i := range maxUnreviewed {
		d.upload(ours, "totals", "", fmt.Sprint(i))
	}
	_, err := d.Upload(t.Context(), ours, d.made("totals", "", "more"))
	d.wantCode(err, app.CodeConflict)
	d.upload(theirs, "other", "", "theirs are counted apart")
}

func TestResolveTakesApprovedVersionsOnly(t *testing.T) {
	d := newDesk(t, 0)
	one := d.upload(ours, "totals", "1.0.0", "one")
	d.upload(ours, "totals", "1.1.0", "two")
	resolve := func(profile, ref string) (int, error) {
		v, err := d.Resolve(t.Context(), profile, ref)
		return v.Number, err
	}
	_, err := resolve("ours", "totals")
	d.wantCode(err, app.CodeSkillNotApproved)
	_, err = d.Approve(t.Context(), person, "totals", 1, one.Digest)
	d.no(err)
	for _, ref := range []string{"totals", "totals@1", "totals@1.0.0", one.Digest} {
		if number, err := resolve("ours", ref); err != nil || number != 1 {
			t.Errorf("%s is version %d, %v", ref, number, err)
		}
		_, err := resolve("theirs", ref)
		d.wantCode(err, app.CodeSkillNotFound)
	}
	for _, ref := range []string{"totals@2", "totals@1.1.0"} {
		_, err := resolve("ours", ref)
		d.wantCode(err, app.CodeSkillNotApproved)
	}
	for _, ref := range []string{"other", "totals@3", "totals@9.9", "", "@", "totals@", "sha256:00", "TOTALS"} {
		if ref == "totals@" {
			continue // the same as the name alone
		}
		_, err := resolve("ours", ref)
		d.wantCode(err, app.CodeSkillNotFound)
	}
}

func TestAChangedContentIsNotOpened(t *testing.T) {
	d := newDesk(t, 0)
	v := d.upload(ours, "totals", "", "one")
	name := d.blobs()[0]
	raw, err := os.ReadFile(name)
	d.no(err)
	raw[len(raw)/2] ^= 1
	d.no(os.Chmod(name, 0o600))
	d.no(os.WriteFile(name, raw, 0o600))
	if b, err := d.Open(t.Context(), v.Digest); err == nil {
		t.Errorf("a changed content was opened: %v", b)
	}
	_, err = d.Open(t.Context(), "sha256:"+strings.Repeat("0", 64))
	d.wantCode(err, app.CodeSkillNotFound)
}

func TestUnpackRefusesOtherFiles(t *testing.T) {
	d := newDesk(t, 0)
	b := d.made("totals", "", "one")
	var packed bytes.Buffer
	d.no(b.Pack(&packed))
	if _, err := bundle.Unpack(bytes.NewReader(packed.Bytes()), b.Digest()); err != nil {
		t.Error(err)
	}
	if _, err := bundle.Unpack(bytes.NewReader(packed.Bytes()), d.made("totals", "", "two").Digest()); err == nil {
		t.Error("files of another digest were taken")
	}
	var link bytes.Buffer
	w := tar.NewWriter(&link)
	d.no(w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "main.py", Linkname: "/etc/passwd"}))
	d.no(w.Close())
	if _, err := bundle.Unpack(io.MultiReader(&link), b.Digest()); err == nil {
		t.Error("a link was taken")
	}
	if !slices.ContainsFunc(b.Files, func(f bundle.File) bool { return f.Executable }) {
		t.Error("no file is executable")
	}
}

// TestHoleFactsAreCollectedOnce: each look at a skill took seconds of the server's processor time.
func TestHoleFactsAreCollectedOnce(t *testing.T) {
	t.Parallel()
	scans := 0
	s := New(Config{Patterns: func(string) []redact.Match { scans++; return nil }})
	b := newDesk(t, 0).made("totals", "", "1")
	first := s.Scan(b)
	once := scans
	known, ok := s.Scanned(b.Digest())
	if again := s.Scan(b); once != len(b.Files) || scans != once || !ok || fmt.Sprint(again, known) != fmt.Sprint(first, first) {
		t.Errorf("%d files, %d scans, then %d; %v", len(b.Files), once, scans, ok)
	}
}
