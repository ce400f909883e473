package web

import (
	"context"
	"net/http"
	neturl "net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/paths"
)

// While an import runs, its page says how much of the file is done, follows by itself without a
// script, and no other job begins. A writer that holds the database keeps it in the middle.
func TestUIShowsHowFarAnImportIs(t *testing.T) {
	t.Parallel()
	old, fresh := newUISite(t), newUISite(t)
	old.login()
	fresh.login()
	_, err := old.access.Credentials.Set(t.Context(), old.person,
		credentials.Input{Name: "KEY", Mode: app.ModeInjected, Value: app.NewSecret("planted-s3cr3t-alpha")})
	old.must(err)
	// a history that doesn't pack well, so that the file is not read in one piece
	old.must(old.store.Write(t.Context(), func(tx *store.Tx) error {
		for range 400 {
			noise := ""
			for range 50 {
				noise += app.NewID()
			}
			if err := tx.Audit(t.Context(),
				app.Event{At: time.Now(), Actor: old.person, Action: "test.noise", Detail: noise}); err != nil {
				return err
			}
		}
		return nil
	}))
	page, url := fresh.finished(fresh.file(filePassphrase, old.exported()))
	page.says("main", "KEY")

	held, release := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- fresh.store.Write(context.WithoutCancel(t.Context()),
			func(*store.Tx) error { close(held); <-release; return nil })
	}()
	<-held
	begun := fresh.send(url+"/import",
		neturl.Values{"take": {"credential:KEY"}, "history": {"yes"}}).want(http.StatusSeeOther)
	at := begun.header.Get("Location")
	var done, total int
	for deadline := time.Now().Add(20 * time.Second); done == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the page shows no progress")
		}
		page = fresh.get(at).want(http.StatusOK).says("h1", "Importing")
		bar := page.doc.Find("progress")
		done, _ = strconv.Atoi(bar.AttrOr("value", ""))
		total, _ = strconv.Atoi(bar.AttrOr("max", ""))
		if bar.Length() != 1 || bar.AttrOr("aria-label", "") != "Importing" || page.header.Get("Refresh") != "1" {
			t.Fatalf("%d bars, refresh %q", bar.Length(), page.header.Get("Refresh"))
		}
	}
	if done >= total || !strings.Contains(page.doc.Find("main").Text(), "% of ") {
		t.Errorf("%d of %d: %s", done, total, page.doc.Find("main").Text())
	}
	fresh.post(paths.SettingsExport, "passphrase", filePassphrase, "again",
		filePassphrase).want(http.StatusUnprocessableEntity).says("main", "Another export, import or backup is under way")
	close(release)
	fresh.must(<-ended)
	page, _ = fresh.finished(begun)
	page.says("h1", "The import is done").says("main", "1 credential")
	if page.doc.Find("progress").Length() != 0 {
		t.Error("it is done and shows progress")
	}
}
