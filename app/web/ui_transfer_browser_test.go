package web

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/paths"
)

// TestFlowBackupPageFollowsItsJob: a job that was started by a boosted form shows that it runs, and
// leads to the list of backups with a notice when it has ended. A writer that holds the database
// keeps it running until the page was seen.
func TestFlowBackupPageFollowsItsJob(t *testing.T) {
	s := newUISite(t)
	s.login()
	s.post(paths.SettingsBackups, "on", "yes", "every", "daily", "keep", "3", "kind", "directory",
		"directory", t.TempDir(), "passphrase", filePassphrase, "again", filePassphrase).leads(paths.SettingsBackups)
	b := entered(t, s)
	b.Open(paths.SettingsData)
	b.Click(`main a[href="` + paths.SettingsBackups + `"]`) // boosted
	b.Heading("Backups")
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- s.store.Write(t.Context(), func(*store.Tx) error { close(held); <-release; return nil })
	}()
	<-held
	time.AfterFunc(3*time.Second, func() { close(release) })
	b.Click(`form[action="` + paths.SettingsBackupNow + `"] button`)
	b.Heading("Backing up")
	b.Heading("Backups")
	b.Says(".toast", "The backup was made and verified.")
	b.Says("#made tbody", "Verified")
	if at := b.Text(`location.pathname`); at != paths.SettingsBackups {
		t.Errorf("it leads to %s", at)
	}
	s.must(<-ended)
}
