package backups

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/app/transfer/transfertest"
	"github.com/computclaw/airlock/store"
)

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time   { c.mu.Lock(); defer c.mu.Unlock(); return c.at }
func (c *clock) set(at time.Time) { c.mu.Lock(); defer c.mu.Unlock(); c.at = at }

func timed(h *fixture) *clock {
	c := &clock{at: time.Date(2026, 3, 4, 12, 30, 0, 0, time.UTC)} // a Wednesday
	h.cfg.Now = c.now
	return c
}

func toDir(dir string) BackupSettings {
	return BackupSettings{On: true, Every: Daily, Keep: 2, Kind: ToDirectory, Directory: dir,
		Passphrase: app.NewSecret(words)}
}

func (h *fixture) list() (list []string) {
	h.T.Helper()
	for _, b := range must[BackupState](h.T)(h.BackupState(h.T.Context())).List {
		list = append([]string{b.Status}, list...)
	}
	return list
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	for _, e := range must[[]os.DirEntry](t)(os.ReadDir(dir)) {
		list = append(list, e.Name())
	}
	return list
}

func TestBackupToADirectory(t *testing.T) {
	h, p, id := furnished(t, "aaaa")
	c, target := timed(h), t.TempDir()
	foreign := filepath.Join(target, "airlock-bbbb-20250101T000000Z.airlock") // of another instance
	h.No(os.WriteFile(foreign, []byte("x"), 0o600))
	h.No(h.SetBackupSettings(t.Context(), person(), toDir(target)))
	before := names(t, h.Dir)
	for range 4 {
		b := must[store.Backup](t)(h.BackUp(t.Context(), person()))
		if b.Status != store.BackupVerified || b.Size == 0 || !strings.Contains(b.Counts, `"executions":3`) {
			t.Errorf("%+v", b)
		}
		c.set(c.now().Add(time.Minute))
	}
	for i, b := range must[BackupState](t)(h.BackupState(t.Context())).List {
		if gone := strings.Contains(b.Error, "Deleted"); gone != (i > 1) {
			t.Errorf("the list says of number %d: %q", i, b.Error)
		}
	}
	want := []string{"airlock-aaaa-20260304T123200.000Z.airlock", "airlock-aaaa-20260304T123300.000Z.airlock",
		filepath.Base(foreign)}
	if diff := cmp.Diff(want, names(t, target)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, names(t, h.Dir)); diff != "" {
		t.Errorf("something was left over: %s", diff)
	}
	file := must[[]byte](t)(os.ReadFile(filepath.Join(target, want[1])))
	for _, secret := range []string{p.ID, id, "sk_live"} {
		if strings.Contains(string(file), secret) {
			t.Errorf("the backup shows %s", secret)
		}
	}
	// It opens with the passphrase alone.
	fresh := newFixture(t, "cccc")
	must[content.Counts](t)(fresh.cfg.Transfer.Fill(t.Context(), upload(file), nil))
	if fresh.Values(p)["STRIPE_KEY"] != "sk_live_0123456789abcdef" {
		t.Error("the value did not come back")
	}
	if got := h.Actions(); !slices.Contains(got, "backup.settings") || !slices.Contains(got, "backup.verified") {
		t.Errorf("%v", got)
	}
}

// Backups beside the data would go with it.
func TestBackupsAreNotKeptInTheDataDirectory(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	link := filepath.Join(t.TempDir(), "link")
	h.No(os.Symlink(h.Dir, link))
	h.No(os.Mkdir(filepath.Join(h.Dir, "backups"), 0o700))
	for _, dir := range []string{h.Dir, filepath.Join(h.Dir, "backups"), link} {
		if err := h.SetBackupSettings(t.Context(), person(), toDir(dir)); app.CodeOf(err) != app.CodeInvalidField {
			t.Errorf("%s: %v", dir, err)
		}
	}
	h.No(h.SetBackupSettings(t.Context(), person(), toDir(t.TempDir())))
}

// A killed process leaves a stored but unverified file. It must not push out a verified one.
func TestAnInterruptedBackupTakesNobodysPlace(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	c, target := timed(h), t.TempDir()
	h.No(h.SetBackupSettings(t.Context(), person(), toDir(target)))
	first := must[store.Backup](t)(h.BackUp(t.Context(), person()))
	c.set(c.now().Add(time.Minute))
	lost := store.Backup{Cause: "person", By: person(), Name: "airlock-aaaa-20260304T123100.000Z.airlock",
		StartedAt: c.now()}
	h.No(os.WriteFile(filepath.Join(target, lost.Name), []byte("half of it"), 0o600))
	h.No(h.cfg.Store.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.Backups.Begin(t.Context(), lost); err != nil {
			return err
		}
		_, err := tx.Backups.EndLost(t.Context(), c.now())
		return err
	}))
	c.set(c.now().Add(time.Minute))
	second := must[store.Backup](t)(h.BackUp(t.Context(), person()))
	// It stays as long as an older one: a database restored to that moment calls even a good one
	// failed.
	if diff := cmp.Diff([]string{first.Name, lost.Name, second.Name}, names(t, target)); diff != "" {
		t.Error(diff)
	}
	c.set(c.now().Add(time.Minute))
	third := must[store.Backup](t)(h.BackUp(t.Context(), person()))
	if diff := cmp.Diff([]string{second.Name, third.Name}, names(t, target)); diff != "" {
		t.Error(diff)
	}
}

// The clock was five years ahead for a while. Those backups must not push out current ones.
func TestBackupsOfAClockThatWasAheadTakeNobodysPlace(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	c, target := timed(h), t.TempDir()
	h.No(h.SetBackupSettings(t.Context(), person(), toDir(target)))
	start := c.now()
	var made []string
	for _, at := range []time.Time{start.AddDate(5, 0, 0), start.AddDate(5, 0, 1), start, start.AddDate(0, 0, 1),
		start.AddDate(0, 0, 2)} {
		c.set(at)
		made = append(made, must[store.Backup](t)(h.BackUp(t.Context(), person())).Name)
	}
	if diff := cmp.Diff([]string{made[3], made[4], made[0], made[1]}, names(t, target)); diff != "" {
		t.Error(diff)
	}
}

// A full disk, say, prevented the record of a backup's end. Later backups must still run.
func TestABackupWhoseEndWasNotRecordedIsInNobodysWay(t *testing.T) {
	h := newFixture(t, "aaaa")
	c := timed(h)
	h.No(h.SetBackupSettings(t.Context(), person(), toDir(t.TempDir())))
	b := store.Backup{Cause: "person", By: person(), Name: "airlock-aaaa-20260304T123000.000Z.airlock", StartedAt: c.now()}
	h.No(h.cfg.Store.Write(t.Context(),
		func(tx *store.Tx) (err error) { b.ID, err = tx.Backups.Begin(t.Context(), b); return err }))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.conclude(over, &b, nil); err == nil {
		t.Fatal("it was recorded")
	}
	c.set(c.now().Add(time.Hour))
	must[store.Backup](t)(h.BackUp(t.Context(), person()))
	if diff := cmp.Diff([]string{store.BackupFailed, store.BackupVerified}, h.list()); diff != "" {
		t.Error(diff)
	}
}

// The clock was ahead when the server was killed during a backup. Its successor must still record
// that one as lost.
func TestABackupOfAClockThatWasAheadIsLostWithItsServer(t *testing.T) {
	h := newFixture(t, "aaaa")
	c := timed(h)
	b := store.Backup{Cause: "person", By: person(), Name: "x", StartedAt: c.now().AddDate(5, 0, 0)}
	h.No(h.cfg.Store.Write(t.Context(),
		func(tx *store.Tx) error { _, err := tx.Backups.Begin(t.Context(), b); return err }))
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() { defer close(ran); h.Run(ctx) }()
	for deadline := time.Now().Add(10 * time.Second); h.list()[0] != store.BackupFailed; time.Sleep(
		20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("it still runs")
			break
		}
	}
	cancel()
	<-ran
}

func TestSettingsOfBackupsAreSealedAndKept(t *testing.T) {
	h := newFixture(t, "aaaa")
	b := toDir(t.TempDir())
	h.No(h.SetBackupSettings(t.Context(), person(), b))
	raw := must[[]byte](t)(os.ReadFile(filepath.Join(h.Dir, store.FileName)))
	wal, _ := os.ReadFile(filepath.Join(h.Dir, store.FileName+"-wal"))
	if strings.Contains(string(raw)+string(wal), words) {
		t.Error("the database shows the passphrase")
	}
	b.Passphrase, b.Keep = app.Secret{}, 9
	h.No(h.SetBackupSettings(t.Context(), person(), b))
	got, _, err := h.BackupSettings(t.Context())
	if err != nil || got.Keep != 9 || got.Passphrase.Reveal() != words {
		t.Errorf("%+v, %v", got, err)
	}
	for name, bad := range map[string]func(*BackupSettings){
		"every": func(b *BackupSettings) { b.Every = "yearly" }, "keep": func(b *BackupSettings) { b.Keep = 0 },
		"kind":       func(b *BackupSettings) { b.Kind = "tape" },
		"directory":  func(b *BackupSettings) { b.Directory = "/nowhere/at/all" },
		"passphrase": func(b *BackupSettings) { b.Passphrase = app.NewSecret("password1234") },
		"endpoint":   func(b *BackupSettings) { b.Kind = ToS3; b.S3 = blobs.S3{Endpoint: "x"} },
	} {
		in := toDir(b.Directory)
		bad(&in)
		err := h.SetBackupSettings(t.Context(), person(), in)
		wantCode(t, name, err, app.CodeInvalidField)
	}
	wantCode(t, "agent", h.SetBackupSettings(t.Context(), app.Actor{Kind: app.ActorAgent}, b), app.CodeForbidden)
}

func TestBackupsNeverRunTwiceAtOnce(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	h.No(h.SetBackupSettings(t.Context(), person(), toDir(t.TempDir())))
	var wg sync.WaitGroup
	codes := make(chan app.Code, 8)
	for range 8 {
		wg.Go(func() {
			_, err := h.BackUp(t.Context(), person())
			codes <- app.CodeOf(err)
		})
	}
	wg.Wait()
	close(codes)
	done := 0
	for code := range codes {
		switch code {
		case "":
			done++
		case app.CodeConflict:
		default:
			t.Errorf("code %s", code)
		}
	}
	if done == 0 || len(h.list()) != done {
		t.Errorf("%d backups, list %v", done, h.list())
	}
	// One that a dead process left running doesn't stand in the way for ever.
	h.No(h.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Backups.Begin(t.Context(),
			store.Backup{Cause: "person", By: person(), StartedAt: time.Now().Add(-13 * time.Hour)})
		return err
	}))
	must[store.Backup](t)(h.BackUp(t.Context(), person()))
}

func TestScheduleOfBackups(t *testing.T) {
	h := newFixture(t, "aaaa")
	c := timed(h)
	at := func(day, hour, minute int) { c.set(time.Date(2026, 3, day, hour, minute, 0, 0, time.UTC)) }
	step := func(want ...string) {
		t.Helper()
		h.No(h.tick(t.Context()))
		if diff := cmp.Diff(want, h.list()); diff != "" {
			t.Errorf("at %s: %s", c.now(), diff)
		}
	}
	step()
	target := t.TempDir()
	h.No(h.SetBackupSettings(t.Context(), person(), toDir(target)))
	step() // not before its time
	at(5, 2, 59)
	step()
	at(5, 3, 0)
	step("verified")
	at(5, 3, 1)
	step("verified")
	at(6, 4, 0) // late is not missed
	step("verified", "verified")
	at(9, 4, 0) // two were
	step("verified", "verified", "missed", "verified")
	if !slices.Contains(h.Actions(), "backup.missed") {
		t.Error("a missed backup is not audited")
	}
	// The target goes away: the failure is recorded, tried again after a while, and shown.
	h.No(os.RemoveAll(target))
	at(10, 3, 0)
	if err := h.tick(t.Context()); err == nil {
		t.Error("a failure is no error")
	}
	at(10, 3, 10)
	step("verified", "verified", "missed", "verified", "failed")
	state := must[BackupState](t)(h.BackupState(t.Context()))
	if state.Problem == "" || !slices.Contains(h.Actions(), "backup.failed") ||
		!state.Next.Equal(time.Date(2026, 3, 11, 3, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", state)
	}
	h.No(os.Mkdir(target, 0o700))
	at(10, 3, 45)
	step("verified", "verified", "missed", "verified", "failed", "verified")
	if state := must[BackupState](t)(h.BackupState(t.Context())); state.Problem != "" {
		t.Errorf("%+v", state)
	}
}

func TestSlots(t *testing.T) {
	at := time.Date(2026, 3, 4, 2, 30, 0, 0, time.UTC) // Wednesday
	for every, want := range map[string]string{Hourly: "2026-03-04T02:00:00Z", Daily: "2026-03-03T03:00:00Z",
		Weekly: "2026-03-01T03:00:00Z"} {
		got := slotBefore(every, at)
		if got.Format(time.RFC3339) != want {
			t.Errorf("%s: %s", every, got)
		}
		if n := slotsBetween(every, got, got.Add(3*step(every))); n != 2 {
			t.Errorf("%s: %d between", every, n)
		}
		if !slotBefore(every, got).Equal(got) || slotsBetween(every, got, got.Add(step(every))) != 0 {
			t.Errorf("%s: the edges", every)
		}
	}
}

// A data directory without room takes no backup, and nothing is left of the attempt.
func TestFullDiskTakesNoBackup(t *testing.T) {
	full := func(string) (int64, error) { return 1 << 20, nil }
	h := serve(transfertest.New(t, "aaaa"), "aaaa", full)
	target := t.TempDir()
	h.No(h.SetBackupSettings(t.Context(), person(), toDir(target)))
	before := names(t, h.Dir)
	b, err := h.BackUp(t.Context(), person())
	if app.CodeOf(err) != app.CodeTooLarge || b.Status != store.BackupFailed {
		t.Errorf("%+v, %v", b, err)
	}
	if diff := cmp.Diff(before, names(t, h.Dir)); diff != "" || len(names(t, target)) > 0 {
		t.Errorf("something is left: %s", diff)
	}
}

// A backup reports contents that the storage lost, and still completes. Pages can ask for the list.
func TestLossesAreSaidOfABackup(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	h.No(os.RemoveAll(filepath.Join(h.Dir, "files")))
	h.No(os.Mkdir(filepath.Join(h.Dir, "files"), 0o700))
	h.No(h.SetBackupSettings(t.Context(), person(), toDir(t.TempDir())))
	id := must[string](t)(h.Start(person()))
	j := must[transfer.Job](t)(h.cfg.Transfer.Job(id))
	for ; j.IsRunning(); j = must[transfer.Job](t)(h.cfg.Transfer.Job(id)) {
		time.Sleep(20 * time.Millisecond)
	}
	h.No(j.Err)
	b := must[BackupState](t)(h.BackupState(t.Context())).List[0]
	if b.Status != store.BackupVerified || !strings.Contains(b.Error, "the storage has lost them") {
		t.Errorf("%+v", b)
	}
}

func TestBackupsTakeArtifactsIfThatIsTicked(t *testing.T) {
	h, target := newFixture(t, "aaaa"), t.TempDir()
	h.Left = strings.Repeat("0123456789", 150_000)
	id := h.HandleOf(h.Execution(h.Locked("p", nil)))
	for _, ticked := range []bool{false, true} {
		set := toDir(target)
		set.Artifacts = ticked
		h.No(h.SetBackupSettings(t.Context(), person(), set))
		if kept, _, err := h.BackupSettings(t.Context()); err != nil || kept.Artifacts != ticked {
			t.Errorf("kept %v, %v", kept.Artifacts, err)
		}
		b := must[store.Backup](t)(h.BackUp(t.Context(), person()))
		restored := newFixture(t, "bbbb")
		must[content.Counts](t)(restored.cfg.Transfer.Fill(t.Context(), upload(must[[]byte](t)(os.ReadFile(filepath.Join(target, b.Name)))), nil))
		if content, _ := restored.Artifact(t.Context(), id); content != "" != ticked || ticked && content != h.Left {
			t.Errorf("ticked %v: %d bytes came back", ticked, len(content))
		}
	}
	full := serve(h.Instance, "aaaa", func(string) (int64, error) { // room for the database, not for the contents
		size, err := h.Store.Size(t.Context())
		return 2*size + 64<<20, err
	})
	_, err := full.BackUp(t.Context(), person())
	wantCode(t, "a backup without room for the contents", err, app.CodeTooLarge)
}

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

// swapping is a storage that keeps one thing and gives back another.
type swapping struct {
	blobs.Store
	give []byte
}

func (s swapping) Get(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(s.give)), nil
}

// A storage returns yesterday's backup, alike but with an older value, or other bytes. Neither
// counts as a backup, and neither is opened.
func TestWhatTheStorageMadeUpIsNoBackup(t *testing.T) {
	h := newFixture(t, "aaaa")
	h.Credential("STRIPE_KEY", "sk_live_of_yesterday", "api.stripe.com")
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	settings := toDir(t.TempDir())
	write := func() (b store.Backup, file []byte, written content.Counts) {
		_ = os.Remove(path)
		b.Name = "airlock-aaaa-x"
		written = must[content.Counts](t)(h.writeBackup(t.Context(), path, settings.Passphrase,
			transfer.Selection{History: true}, &b))
		return b, must[[]byte](t)(os.ReadFile(path)), written
	}
	_, old, _ := write()
	h.Credential("STRIPE_KEY", "sk_live_of_today", "api.stripe.com")
	b, file, written := write()
	other := bytes.Clone(file)
	other[len(file)/2]++
	for what, give := range map[string][]byte{"an older one": old, "other bytes": other,
		"half of it": file[:len(file)/2], "more": append(bytes.Clone(file), 0)} {
		err := h.verify(t.Context(), swapping{give: give}, settings.Passphrase, path, &b, written)
		if !errors.Is(err, errNotSame) {
			t.Errorf("%s: %v", what, err)
		}
	}
	h.No(h.verify(t.Context(), swapping{give: file}, settings.Passphrase, path, &b, written))
}
