package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/paths"
)

const filePassphrase = "five random words for a file"

// finished follows a job's refreshing page to its end.
func (s *uiSite) finished(a *uiAnswer) (page *uiAnswer, url string) {
	s.t.Helper()
	a.want(http.StatusSeeOther)
	url = a.header.Get("Location")
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if page = s.get(url); page.header.Get("Refresh") == "" {
			return page, url
		}
	}
	s.t.Fatal("the job does not end")
	return nil, ""
}

// file uploads a file to look at.
func (s *uiSite) file(passphrase string, content []byte) *uiAnswer {
	s.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	s.must(w.WriteField("passphrase", passphrase))
	part, err := w.CreateFormFile("file", "x.airlock")
	s.must(err)
	_, err = part.Write(content)
	s.must(err)
	s.must(w.Close())
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.web.URL+paths.SettingsImport, &body)
	s.must(err)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return s.do(r)
}

func (s *uiSite) exported(fields ...string) []byte {
	s.t.Helper()
	page, url := s.finished(s.post(paths.SettingsExport,
		append([]string{"passphrase", filePassphrase, "again", filePassphrase, "history", "yes"}, fields...)...))
	page.says("h1", "The export is ready")
	got := s.post(url + "/download").want(http.StatusOK)
	if !strings.Contains(got.header.Get("Content-Disposition"), ".airlock") {
		s.t.Errorf("%v", got.header)
	}
	return []byte(got.text)
}

func TestUIExportAndImport(t *testing.T) {
	t.Parallel()
	old := newUISite(t)
	old.login()
	_, err := old.access.Credentials.Set(t.Context(), old.person,
		credentials.Input{Name: "KEY", Mode: app.ModeInjected, Value: app.NewSecret("planted-s3cr3t-alpha")})
	old.must(err)
	p, err := old.access.Profiles.Create(t.Context(), old.person, "billing")
	old.must(err)
	old.get(paths.SettingsData).says("main", "Export & import")
	old.get(paths.SettingsMove).want(http.StatusOK).says("main", "billing").says("main", "It is near.")
	old.post(paths.SettingsExport, "passphrase", "short", "again",
		"short").want(http.StatusUnprocessableEntity).says("form", "fewer than 12")
	kept := old.post(paths.SettingsExport, "passphrase", filePassphrase, "again", filePassphrase, "artifacts", "yes").
		want(http.StatusUnprocessableEntity).says("#export", "0 B in all").says("#export", "Take the executions too")
	if kept.doc.Find("[name=artifacts]:checked, [name=which][value=all]:checked").Length() != 2 ||
		kept.doc.Find("[name=history]:checked").Length() != 0 {
		t.Error("the form forgot what was ticked")
	}
	old.post(paths.SettingsExport, "passphrase", filePassphrase, "again", "other").want(http.StatusUnprocessableEntity)
	old.post(paths.SettingsExport, "passphrase", filePassphrase, "again", filePassphrase,
		"which", "some").want(http.StatusUnprocessableEntity).says("form", "No profile is chosen")
	file := old.exported()

	fresh := newUISite(t)
	fresh.login()
	failed, _ := fresh.finished(fresh.file("other words than those it has", file))
	failed.says("main", "The passphrase does not open the file")
	failed, _ = fresh.finished(fresh.file(filePassphrase, file[:len(file)-9]))
	failed.says("main", "The file is damaged")
	failed, _ = fresh.finished(fresh.file(filePassphrase, []byte("PK\x03\x04 something else")))
	failed.says("main", "This is not an .airlock file")

	page, job := fresh.finished(fresh.file(filePassphrase, file))
	page.says("main", "KEY").says("main", "billing")
	if _, err := fresh.access.Profiles.ByID(t.Context(), p.ID); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("looking changed something: %v", err)
	}
	if n := page.doc.Find("input[name=take][checked]").Length(); n != 2 {
		t.Errorf("%d things are ticked", n)
	}
	done, _ := fresh.finished(fresh.send(job+"/import",
		url.Values{"take": {"credential:KEY", "profile:" + p.Handle}, "history": {"yes"}}))
	done.says("main", "1 credential, 1 profile")
	if got, err := fresh.access.Profiles.ByID(t.Context(), p.ID); err != nil || got.Description != "billing" {
		t.Errorf("%+v, %v", got, err)
	}
	fresh.get(paths.Audit).says("#archived", "Logs of other instances")
	link, _ := fresh.get(paths.Audit).doc.Find("#archived a").Last().Attr("href")
	if log := fresh.get(link).want(http.StatusOK).text; !strings.Contains(log, `"action":"profile.create"`) ||
		strings.Count(log, "\n") < 3 {
		t.Errorf("%s: %s", link, log)
	}
	fresh.deletesPoint()
	fresh.post(job + "/import").want(http.StatusNotFound) // once
	page, _ = fresh.finished(fresh.file(filePassphrase, old.exported("history", "")))
	if page.says("#plan", "There is nothing to import.").doc.Find("#plan button").Length() != 0 {
		t.Error("offers to import nothing")
	}

	old.post(paths.SettingsRetire).leads(paths.SettingsMove)
	old.get(paths.SettingsMove).says("main", "Retired by "+uiName)
	old.post(paths.SettingsUnretire).leads(paths.SettingsMove)
}

// Chosen items travel with their credentials; history only where ticked.
func TestUIExportsWhatIsChosen(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	var chosen app.Profile
	for _, name := range []string{"BILLING", "REPORTS"} {
		_, err := s.access.Credentials.Set(t.Context(), s.person,
			credentials.Input{Name: name, Mode: app.ModeInjected, Value: app.NewSecret("planted-s3cr3t-alpha")})
		s.must(err)
		chosen, err = s.access.Profiles.Create(t.Context(), s.person, "agent of "+name)
		s.must(err)
		_, err = s.access.Keys.Add(t.Context(), s.person, chosen.Handle, []app.Key{{Name: name}})
		s.must(err)
		_, err = s.access.Keys.Link(t.Context(), s.person, chosen.Handle, name, name)
		s.must(err)
	}
	fresh := newUISite(t)
	fresh.login()
	page, _ := fresh.finished(fresh.file(filePassphrase, s.exported("which", "some", "profiles", chosen.Handle, "history", "")))
	page.says("main", "It holds chosen profiles only").says("main", "REPORTS").says("main", "agent of REPORTS")
	if text := page.doc.Find("main").Text(); strings.Contains(text, "BILLING") ||
		page.doc.Find("input[name=take]").Length() != 2 {
		t.Errorf("more came along: %s", text)
	}
}

// deletesPoint confirms and deletes the only restore point.
func (s *uiSite) deletesPoint() {
	s.t.Helper()
	page := s.get(paths.SettingsMove).says("#points", "airlock admin restore --replace before-import-")
	link, _ := page.doc.Find("#points a.danger").Attr("href")
	asked := s.get(link).want(http.StatusOK).says("h1", "Delete the restore point from").says("main", "can't be undone")
	s.get(paths.SettingsMove).says("#points", "before-import-") // asking deleted nothing
	s.submit(asked, "main form", "").want(http.StatusUnprocessableEntity).says("#typed-wrong", "That is not its name.")
	s.get(paths.SettingsMove).says("#points", "before-import-")
	s.submit(asked, "main form", "", "typed", asked.doc.Find("label[for=typed] code").Text()).leads(paths.SettingsMove)
	s.get(paths.SettingsMove).says(".toast", "The restore point was deleted.")
	if strings.Contains(s.get(paths.SettingsMove).text, "before-import-") {
		s.t.Error("it is still there")
	}
	s.post(link).want(http.StatusNotFound)
	s.get(link).want(http.StatusNotFound)
	for _, name := range []string{"airlock.db", "../airlock.db", "before-import-x.db"} {
		s.post(paths.At(paths.RestorePointPath, name)).want(http.StatusNotFound)
	}
	events, err := s.access.Audit.Latest(s.t.Context(), 1)
	s.must(err)
	if events[0].Action != "transfer.forget" || events[0].Actor.Name != uiName {
		s.t.Errorf("the newest event is %+v", events[0])
	}
}

// TestUIFailedBackupNeedsSomebody until one works or backups are switched off.
func TestUIFailedBackupNeedsSomebody(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	fill := []string{"every", "daily", "keep", "3", "kind", "directory", "directory", t.TempDir(), "passphrase",
		filePassphrase, "again", filePassphrase}
	s.post(paths.SettingsBackups, append(fill, "on", "yes")...).leads(paths.SettingsBackups)
	note := func(status, text string) {
		s.must(s.store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Backups.Note(t.Context(),
				store.Backup{Cause: "schedule", By: app.System(), Status: status, Error: text, StartedAt: time.Now(),
					FinishedAt: time.Now()})
		}))
	}
	shown := func(want string) {
		t.Helper()
		overview, inbox := s.get(paths.Root), s.get(paths.Inbox)
		if want == "" {
			inbox.says("main", "You're all caught up")
			if overview.doc.Find("#needs").Length() != 0 {
				t.Error("the overview asks for somebody")
			}
			return
		}
		overview.says("#needs", want)
		inbox.says("#inbox", want).says("#waiting-rail", "1")
	}
	shown("")
	note(store.BackupFailed, "no space left on device")
	shown("No space left on device.")
	s.get(paths.SettingsBackups).says(".errors", "no space left on device")
	note(store.BackupMissed, "2 backups were missed")
	shown("Backups were missed")
	note(store.BackupVerified, "")
	shown("")
	note(store.BackupFailed, "no space left on device")
	s.post(paths.SettingsBackups, fill...).leads(paths.SettingsBackups) // off
	shown("")
}

// Differing items are offered, not ticked.
func TestUIPreviewDoesNotTickWhatDiffers(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	at := time.Now().Add(time.Hour).UTC()
	p, err := s.access.Profiles.Create(t.Context(), s.person, "billing")
	s.must(err)
	p, err = s.access.Lifecycle.Lock(t.Context(), s.person, p.Handle, p.UpdatedAt)
	s.must(err)
	file := s.exported()
	_, err = s.access.Lifecycle.SetExpiry(t.Context(), s.person, p.Handle, at)
	s.must(err)
	page, url := s.finished(s.file(filePassphrase, file))
	box := page.doc.Find("input[name=take]")
	if _, checked := box.Attr("checked"); box.Length() != 1 || checked {
		t.Errorf("%d boxes, checked %v", box.Length(), checked)
	}
	page.says("main", "It says that it is from this instance").says("main", "Expires: never instead of")
	s.finished(s.submit(page, "form[action='"+url+"/import']", ""))
	if got, err := s.access.Profiles.ByID(t.Context(), p.ID); err != nil || got.ExpiresAt.IsZero() {
		t.Errorf("it was extended without a yes: %+v, %v", got, err)
	}
}

func TestUIBackups(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	s.get(paths.SettingsBackups).want(http.StatusOK).says("main", "No backups are made")
	dir := t.TempDir()
	fill := []string{"on", "yes", "every", "daily", "keep", "3", "kind", "directory", "directory", dir, "passphrase",
		filePassphrase, "again", filePassphrase}
	s.post(paths.SettingsBackups,
		append(fill, "again", filePassphrase+"x")...).want(http.StatusUnprocessableEntity).says("form", "doesn't match")
	s.post(paths.SettingsBackups,
		append(fill, "directory", "/nowhere/at/all")...).want(http.StatusUnprocessableEntity).says("#directory-wrong",
		"There is no directory /nowhere/at/all")
	s.post(paths.SettingsBackups, append(fill, "keep", "many")...).want(http.StatusUnprocessableEntity)
	s.post(paths.SettingsBackups, fill...).leads(paths.SettingsBackups)
	page := s.get(paths.SettingsBackups)
	if strings.Contains(page.text, filePassphrase) {
		t.Error("the page shows the passphrase")
	}
	a := s.post(paths.SettingsBackupNow).want(http.StatusSeeOther)
	for deadline := time.Now().Add(30 * time.Second); s.get(
		a.header.Get("Location")).status != http.StatusSeeOther; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the backup does not end")
		}
	}
	s.get(paths.SettingsBackups).says("table", "Verified").says("table", uiName).says("table", "in directory "+dir)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// No agent token opens any route of it.
func TestNoAgentRouteExportsOrImports(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	unlocked, err := s.access.Profiles.Create(t.Context(), app.Actor{Kind: app.ActorAgent}, "unlocked")
	s.must(err)
	make := func(name string) app.Profile {
		p, err := s.access.Profiles.Create(t.Context(), s.person, name)
		s.must(err)
		p, err = s.access.Lifecycle.Lock(t.Context(), s.person, p.Handle, p.UpdatedAt)
		s.must(err)
		return p
	}
	locked, revoked := make("locked"), make("revoked")
	_, err = s.access.Lifecycle.Revoke(t.Context(), s.person, revoked.Handle)
	s.must(err)
	tokens := map[string]string{"none": "", "unlocked": unlocked.ID, "locked": locked.ID, "revoked": revoked.ID,
		"unknown": app.NewProfileID(), "execution": app.NewExecutionID(), "admin token": uiToken, "nonsense": "x"}

	e, ok := s.server.Handler().(*echo.Echo)
	if !ok {
		t.Fatal("the handler is no route table")
	}
	guarded := map[string]bool{}
	for _, r := range transferPages(s.server) {
		guarded[r.Method+" "+r.Path] = true
	}
	// for people only
	for _, other := range []string{"GET " + paths.ExecutionsExport, "GET " + paths.AuditExport,
		"GET " + paths.ProfileRestore, "POST " + paths.ProfileRestore} {
		guarded[other] = true
	}
	words := []string{"/move", "export", "import", "backup", "restore", "retire", "transfer", "download", "passphrase"}
	seen := 0
	for _, r := range e.Routes() {
		if !strings.HasPrefix(r.Path, "/") {
			continue
		}
		about := false
		for _, w := range words {
			about = about || strings.Contains(strings.ToLower(r.Path), w)
		}
		if about && !guarded[r.Method+" "+r.Path] {
			t.Errorf("%s %s is not one of the guarded pages", r.Method, r.Path)
		}
		if !guarded[r.Method+" "+r.Path] {
			continue
		}
		seen++
		if !strings.HasPrefix(r.Path, paths.Root+"/") {
			t.Errorf("%s %s is outside the UI", r.Method, r.Path)
		}
		for kind, token := range tokens {
			for _, as := range []string{"bearer", "cookie", "both"} {
				q := httptest.NewRequestWithContext(t.Context(), r.Method,
					"http://airlock.test"+strings.ReplaceAll(r.Path, ":id", "x"),
					strings.NewReader("passphrase="+strings.ReplaceAll(filePassphrase, " ",
						"+")+"&again="+strings.ReplaceAll(filePassphrase,
						" ", "+")))
				q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				if token != "" && as != "cookie" {
					q.Header.Set("Authorization", "Bearer "+token)
				}
				if token != "" && as != "bearer" {
					q.AddCookie(&http.Cookie{Name: uix.SessionCookie, Value: token})
				}
				w := httptest.NewRecorder()
				e.ServeHTTP(w, q)
				if w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), paths.Login) {
					t.Errorf("%s %s with %s as %s: %d to %q", r.Method, r.Path, kind, as, w.Code,
						w.Header().Get("Location"))
				}
			}
		}
	}
	if seen < len(guarded) {
		t.Errorf("%d of %d guarded pages are routed", seen, len(guarded))
	}
	for _, path := range []string{"/openapi.json", "/skill.md"} {
		text := strings.ToLower(s.get(path).text)
		for _, w := range []string{"/export", "/import\"", "/backup", "passphrase"} {
			if strings.Contains(text, w) {
				t.Errorf("%s speaks of %s", path, w)
			}
		}
	}
	events, err := s.access.Audit.Latest(t.Context(), 1000)
	s.must(err)
	for _, ev := range events {
		if strings.HasPrefix(ev.Action, "transfer.") || strings.HasPrefix(ev.Action, "backup.") ||
			strings.HasPrefix(ev.Action, "instance.") {
			t.Errorf("something was done: %s", text(ev))
		}
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(b)
}

// transferPages are the pages that move everything.
func transferPages(s *Server) (list []httpx.Route) {
	for _, r := range s.ui.Pages() {
		if strings.HasPrefix(r.Path, paths.SettingsMove) || strings.HasPrefix(r.Path, paths.SettingsBackups) {
			list = append(list, r)
		}
	}
	return list
}

// Stale passwords are asked for on every page and form.
func TestMovingAsksForAFreshPassword(t *testing.T) {
	t.Parallel()
	var late atomic.Int64
	s := newUISite(t, func(c *Config) {
		c.Now = func() time.Time {
			return time.Now().
				Add(time.Duration(late.Load()))
		}
	})
	s.login()
	s.get(paths.SettingsMove).want(http.StatusOK)
	late.Store(int64(6 * time.Minute))
	for _, r := range transferPages(s.server) {
		path := strings.ReplaceAll(r.Path, ":id", "x")
		if r.Method == http.MethodGet {
			if got := s.get(path); got.status != http.StatusSeeOther {
				t.Errorf("GET %s: %d", path, got.status)
			}
			continue
		}
		if got := s.post(path); got.status != http.StatusSeeOther ||
			!strings.HasPrefix(got.header.Get("Location"), paths.Confirm) {
			t.Errorf("POST %s: %d to %q", path, got.status, got.header.Get("Location"))
		}
	}
}

// A running import shows its progress without a script and bars other jobs. A writer that holds the
// database keeps it in the middle.
func TestUIShowsHowFarAnImportIs(t *testing.T) {
	t.Parallel()
	old, fresh := newUISite(t), newUISite(t)
	old.login()
	fresh.login()
	_, err := old.access.Credentials.Set(t.Context(), old.person,
		credentials.Input{Name: "KEY", Mode: app.ModeInjected, Value: app.NewSecret("planted-s3cr3t-alpha")})
	old.must(err)
	// incompressible, to be read in several pieces
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
	page, job := fresh.finished(fresh.file(filePassphrase, old.exported()))
	page.says("main", "KEY")

	held, release := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- fresh.store.Write(context.WithoutCancel(t.Context()),
			func(*store.Tx) error { close(held); <-release; return nil })
	}()
	<-held
	begun := fresh.send(job+"/import",
		url.Values{"take": {"credential:KEY"}, "history": {"yes"}}).want(http.StatusSeeOther)
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

// TestRequireFresh asks for passwords older than five minutes and leads back.
func TestRequireFresh(t *testing.T) {
	t.Parallel()
	var late atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	s := newUISite(t, func(c *Config) { c.Now = now })
	done := 0
	at, err := url.Parse(s.web.URL + paths.Root)
	s.must(err)
	e := echo.New()
	e.HTTPErrorHandler = s.server.fail
	u := s.pages()
	guarded := u.RequireFresh(func(c echo.Context) error { done++; return c.NoContent(http.StatusOK) })
	e.GET("/ui/settings", guarded, u.Require(app.RoleViewer))
	e.POST("/ui/settings", guarded, u.Require(app.RoleViewer))
	s.login()
	ask := func(method string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "http://airlock.test/ui/settings?x=1", nil)
		for _, c := range s.client.Jar.Cookies(at) {
			r.AddCookie(c)
		}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		return w
	}
	if w := ask(http.MethodPost); w.Code != http.StatusOK || done != 1 {
		t.Fatalf("fresh: %d", w.Code)
	}
	late.Store(int64(5 * time.Minute))
	if w := ask(http.MethodGet); w.Header().Get("Location") != paths.ConfirmURL("/ui/settings?x=1") {
		t.Errorf("a page leads to %q", w.Header().Get("Location"))
	}
	w := ask(http.MethodPost, "Referer", "http://airlock.test/ui/credentials?a=b")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != paths.ConfirmURL("/ui/credentials?a=b") ||
		!strings.Contains(w.Header().Get("Set-Cookie"), "again") {
		t.Errorf("a form leads to %q with %q", w.Header().Get("Location"), w.Header().Get("Set-Cookie"))
	}
	if w := ask(http.MethodPost, "Referer",
		"https://evil.example/x"); w.Header().Get("Location") != paths.ConfirmURL(paths.Root) {
		t.Errorf("another site leads to %q", w.Header().Get("Location"))
	}
	w = ask(http.MethodPost, "HX-Request", "true", "HX-Request-Type", "partial", "HX-Current-URL",
		"http://airlock.test/ui/audit")
	if w.Code != http.StatusForbidden || w.Header().Get("HX-Redirect") != paths.ConfirmURL(paths.Audit) {
		t.Errorf("htmx: %d %q", w.Code, w.Header().Get("HX-Redirect"))
	}
	if done != 1 {
		t.Fatal("it was done without a password")
	}
	page := s.get(paths.ConfirmURL(paths.Audit)).want(http.StatusOK).says("h1", "Confirm your password").says("label",
		uiName)
	s.submit(page, "main form", "", "password", "wrong").want(http.StatusUnprocessableEntity).says(".field-error",
		"That is not your password.")
	s.submit(page, "main form", "", "password", uiPassword).leads(paths.Audit)
	late.Store(0) // the desk's clock did not move
	if w := ask(http.MethodPost); w.Code != http.StatusOK || done != 2 {
		t.Errorf("after the password: %d", w.Code)
	}
	for range 10 {
		if s.submit(page, "main form", "", "password", "wrong").status == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("nobody stops guessing")
}
