package web

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// formCase is a succeeding form for a POST route in TestUIEveryActionIsAudited.
type formCase struct {
	path   func(w *walk) string
	fields []string
	silent string // why it leaves no event; "" if it must
	job    bool   // a background job, waited for
}

// walk is a site with something of each kind.
type walk struct {
	*uiSite
	profile, open, gone app.Profile
	waiting, running    app.Execution
	ended               app.Execution
	session, person     string
	invitation          string
	approvals           []string // two open, one decided
	directory           string   // for backups
}

func newWalk(t *testing.T) *walk {
	w := &walk{uiSite: newUISite(t)}
	ctx := t.Context()
	for _, name := range []string{"KEY", "SPARE"} {
		_, err := w.access.Credentials.Set(ctx, w.uiSite.person,
			credentials.Input{Name: name, Mode: app.ModeInjected, Value: app.NewSecret(uiSecrets()[0])})
		w.must(err)
	}
	w.profile, w.gone = w.locked(), w.locked()
	w.open = w.request([]app.Key{{Name: "KEY"}}, "api.example.com")
	_, err := w.access.Keys.Link(ctx, w.uiSite.person, w.open.Handle, "KEY", "KEY")
	w.must(err)
	w.sendSkill(w.profile, map[string]string{"SKILL.md": totals, "main.py": "set_result(1)"})
	w.ended = w.runs(w.profile, "print hello", app.StatusCompleted)
	w.waiting = w.runs(w.profile, "ask Which one?", app.StatusAwaitingLLM)
	w.running = w.runs(w.profile, "hang", app.StatusRunning)
	w.approvals = w.asked()
	w.login()
	token, _, err := w.access.Invitations.Create(ctx, w.uiSite.person, app.RoleOwner)
	w.must(err)
	half, err := w.access.Enrollment.Enroll(ctx, "192.0.2.2", "", token)
	w.must(err)
	_, err = w.access.Enrollment.Join(ctx, half.Token, "192.0.2.2", "", "Bob", app.NewSecret(uiPassword))
	w.must(err)
	_, _, err = w.access.Invitations.Create(ctx, w.uiSite.person, app.RoleOwner)
	w.must(err)
	invitations, err := w.access.Invitations.List(ctx)
	w.must(err)
	w.invitation = invitations[0].ID
	sessions, err := w.access.Sessions.List(ctx)
	w.must(err)
	for _, x := range sessions {
		if x.Person == "Bob" {
			w.session, w.person = x.ID, x.PersonID
		}
	}
	w.directory = t.TempDir()
	return w
}

// export makes an export to download. There is one job at a time.
func (w *walk) export() string {
	w.t.Helper()
	_, url := w.finished(w.post(paths.SettingsExport, "passphrase", filePassphrase, "again", filePassphrase))
	return url + "/download"
}

// plan has a file read, to be imported.
func (w *walk) plan() string {
	w.t.Helper()
	_, url := w.finished(w.file(filePassphrase, w.exported()))
	return url + "/import"
}

// point returns the page of the import's restore point.
func (w *walk) point() string {
	w.t.Helper()
	points, err := w.server.cfg.Transfer.RestorePoints()
	w.must(err)
	if len(points) == 0 {
		w.t.Fatal("there is no restore point")
	}
	return paths.At(paths.RestorePointPath, points[0].Name)
}

func fixed(path string) func(*walk) string { return func(*walk) string { return path } }

func formCases() map[string]formCase {
	const next = "three blind geese"
	return map[string]formCase{
		paths.Login:   {fixed(paths.Login), []string{"name", uiName, "password", uiPassword}, "", false},
		paths.Confirm: {fixed(paths.Confirm), []string{"password", uiPassword}, "", false},
		paths.SettingsTheme: {fixed(paths.SettingsTheme), []string{"theme", "dark"}, "a cookie of this browser",
			false},
		paths.SettingsKeys: {fixed(paths.SettingsKeys), []string{"keys", "off"}, "a cookie of this browser", false},
		paths.SettingsRole: {func(w *walk) string { return paths.At(paths.SettingsRole, w.person) },
			[]string{"role", "viewer"}, "", false},
		paths.SettingsInvite: {fixed(paths.SettingsInvite), []string{"role", "viewer"}, "", false},
		paths.SettingsUninvite: {func(w *walk) string { return paths.At(paths.SettingsUninvite, w.invitation) }, nil,
			"", false},
		paths.SettingsSession: {func(w *walk) string { return paths.At(paths.SettingsSession, w.session) }, nil, "",
			false},
		paths.SettingsSessions: {fixed(paths.SettingsSessions), []string{"whose", "all"}, "", false},
		paths.SettingsPerson: {func(w *walk) string { return paths.At(paths.SettingsPerson, w.person) },
			[]string{"typed", "Bob"},
			"", false},
		paths.SettingsPause:    {fixed(paths.SettingsPause), nil, "", false},
		paths.SettingsResume:   {fixed(paths.SettingsResume), nil, "", false},
		paths.PasskeyConfirm:   {nil, nil, "needs an authenticator; TestPasskeyInARealBrowser has the event", false},
		paths.PasskeyLogin:     {nil, nil, "needs an authenticator; TestPasskeyInARealBrowser has the event", false},
		paths.SettingsPasskeys: {nil, nil, "needs an authenticator; TestPasskeyIsAuditedByItsPerson has the event", false},
		paths.PasskeyRename:    {nil, nil, "needs an authenticator; TestPasskeyIsAuditedByItsPerson has the event", false},
		paths.PasskeyRemove:    {nil, nil, "needs an authenticator; TestPasskeyIsAuditedByItsPerson has the event", false},
		paths.SettingsPassword: {fixed(paths.SettingsPassword),
			[]string{"old", uiPassword, "password", next, "password-again", next}, "", false},

		paths.CredentialNew: {fixed(paths.CredentialNew),
			[]string{"name", "NEW", "value", "not-a-secret", "mode", "plain"}, "", false},
		paths.CredentialPaste: {fixed(paths.CredentialPaste), []string{"text", "PASTED=not-a-secret"},
			"nothing is stored before the preview is confirmed", false},
		paths.CredentialPreview: {fixed(paths.CredentialPreview),
			[]string{"do", "store", "action.PASTED", "add", "mode.PASTED", "plain"}, "", false},
		paths.CredentialPath: {fixed(paths.CredentialURL("SPARE")), []string{"mode", "injected", "description",
			"changed"},
			"", false},
		paths.CredentialTest: {fixed(paths.At(paths.CredentialTest, "KEY")), nil,
			"refused: there is nothing to test about an injected credential; ui_sealed_test.go has the event", false},
		paths.CredentialDelete: {fixed(paths.At(paths.CredentialDelete, "SPARE")), []string{"typed", "SPARE"}, "",
			false},

		paths.Skills:        {nil, nil, "needs a file; TestAPersonUploadsASkill has the event", false},
		paths.SkillApprove:  {fixed(paths.At(paths.SkillApprove, "totals")), nil, "", false},
		paths.SkillRevoke:   {fixed(paths.At(paths.SkillRevoke, "totals")), []string{"version", "1"}, "", false},
		paths.SkillSwitch:   {fixed(paths.At(paths.SkillSwitch, "totals")), []string{"to", "off"}, "", false},
		paths.SkillAllow:    {fixed(paths.At(paths.SkillAllow, "totals")), nil, "", false},
		paths.SkillDisallow: {fixed(paths.At(paths.SkillDisallow, "totals")), nil, "", false},
		paths.SkillDelete:   {fixed(paths.At(paths.SkillDelete, "totals")), []string{"typed", "totals"}, "", false},

		paths.ProfileNew: {fixed(paths.ProfileNew), []string{"name", "mine"}, "", false},
		paths.ProfileSetup: {func(w *walk) string { return paths.At(paths.ProfileSetup, w.open.Handle) },
			[]string{"do", "save", "expiry", "7"}, "", false},
		paths.ProfileLock: {func(w *walk) string { return paths.At(paths.ProfileLock, w.open.Handle) }, nil, "", false},
		paths.ProfileHosts: {func(w *walk) string { return paths.At(paths.ProfileHosts, w.profile.Handle) },
			[]string{"do", "grant", "new_host", "other.example.com"}, "", false},
		paths.ProfileEdit: {func(w *walk) string { return paths.At(paths.ProfileEdit, w.profile.Handle) },
			[]string{"name", "renamed", "expiry", "30", "backend", "", "min_tier", "restricted"}, "", false},
		paths.ProfileCopy: {func(w *walk) string { return paths.At(paths.ProfileCopy, w.profile.Handle) }, nil, "",
			false},
		paths.ProfileRevoke: {func(w *walk) string { return paths.At(paths.ProfileRevoke, w.gone.Handle) }, nil, "",
			false},
		paths.ProfileRestore: {func(w *walk) string { return paths.At(paths.ProfileRestore, w.gone.Handle) }, nil, "",
			false},
		paths.ProfileDelete: {func(w *walk) string { return paths.At(paths.ProfileDelete, w.gone.Handle) },
			[]string{"typed", "monthly  revenue report "}, "", false},

		paths.ExecutionRespond: {func(w *walk) string { return paths.At(paths.ExecutionRespond, w.waiting.Handle) },
			[]string{"response", "this one"}, "", false},
		paths.ExecutionCancel: {func(w *walk) string { return paths.At(paths.ExecutionCancel, w.running.Handle) }, nil,
			"", false},
		paths.ExecutionRerun: {func(w *walk) string { return paths.At(paths.ExecutionRerun, w.ended.Handle) }, nil, "",
			false},
		paths.ApprovalApprove: {func(w *walk) string { return paths.At(paths.ApprovalApprove, w.approvals[0]) },
			[]string{"scope", "once"}, "", false},
		paths.ApprovalRefuse: {func(w *walk) string { return paths.At(paths.ApprovalRefuse, w.approvals[1]) },
			[]string{"reason", "it deletes orders"}, "", false},
		paths.ApprovalRevoke: {func(w *walk) string { return paths.At(paths.ApprovalRevoke, w.approvals[2]) }, nil, "",
			false},
		paths.SandboxProve: {fixed(paths.SandboxProve), nil, "", false},
		paths.AuditVerify:  {fixed(paths.AuditVerify), nil, "it only reads", false},
		paths.SettingsExport: {fixed(paths.SettingsExport), []string{"passphrase", filePassphrase, "again", filePassphrase}, "",
			true},
		paths.TransferDownload: {(*walk).export, nil, "", false},
		paths.SettingsImport: {nil, nil, "nothing is imported before the plan is confirmed, which TransferImport does",
			false},
		paths.TransferImport:   {(*walk).plan, []string{"history", "yes"}, "", true},
		paths.RestorePointPath: {(*walk).point, []string{"typed", ""}, "", false},
		paths.SettingsBackups: {fixed(paths.SettingsBackups),
			[]string{"on", "yes", "every", "daily", "keep", "3", "kind", "directory", "passphrase", filePassphrase, "again",
				filePassphrase}, "", false},
		paths.SettingsBackupNow: {fixed(paths.SettingsBackupNow), nil, "", true},
		paths.SettingsRetire:    {fixed(paths.SettingsRetire), nil, "", false},
		paths.SettingsUnretire:  {fixed(paths.SettingsUnretire), nil, "", false},

		paths.Logout:  {fixed(paths.Logout), nil, "", false},
		paths.Welcome: {nil, nil, "needs a token; TestTheAdminTokenWorksOnce has the event", false},
	}
}

// TestUIEveryActionIsAudited posts to every route: each leaves an event with the person's name or
// has a stated reason. New routes need a case.
func TestUIEveryActionIsAudited(t *testing.T) {
	t.Parallel()
	w := newWalk(t)
	cases := formCases()
	order := []string{paths.CredentialPaste, paths.CredentialPreview, paths.ProfileSetup, paths.ProfileLock,
		paths.ProfileRevoke, paths.ProfileRestore, paths.ProfileDelete, paths.SkillDisallow,
		paths.SkillAllow, paths.SettingsPause, paths.SettingsResume,
		paths.SettingsSession, paths.SettingsRole, paths.SettingsPerson}
	last := []string{paths.TransferImport, paths.RestorePointPath, paths.SettingsRetire, paths.SettingsUnretire,
		paths.SettingsSessions, paths.SettingsPassword, paths.Logout}
	seen := map[string]bool{}
	for _, pattern := range append(order, last...) {
		seen[pattern] = true
	}
	all := []string{paths.Login, paths.Logout, paths.Welcome, paths.PasskeyLogin}
	for _, r := range w.server.ui.Pages() {
		if r.Method == http.MethodPost {
			all = append(all, r.Path)
		}
	}
	for _, pattern := range all {
		if _, ok := cases[pattern]; !ok {
			t.Errorf("POST %s has no case: what does the audit log say of it?", pattern)
		}
		if !seen[pattern] {
			order = append(order, pattern)
		}
	}
	for _, pattern := range append(order, last...) {
		c := cases[pattern]
		if c.path == nil {
			continue
		}
		fields := c.fields
		if pattern == paths.ProfileLock || pattern == paths.ProfileHosts { // which take the time of what was seen
			handle := map[string]string{paths.ProfileLock: w.open.Handle, paths.ProfileHosts: w.profile.Handle}[pattern]
			p, err := w.access.Profiles.ByHandle(t.Context(), handle)
			w.must(err)
			fields = append(fields, "seen", p.UpdatedAt.Format(time.RFC3339Nano))
		}
		path := c.path(w)
		switch pattern {
		case paths.RestorePointPath:
			fields = []string{"typed", w.get(path).doc.Find("label[for=typed] code").Text()}
		case paths.SkillApprove:
			digest := w.get(paths.SkillURL("totals")).doc.Find("#approve [name=digest]").AttrOr("value", "")
			fields = []string{"version", "1", "digest", digest}
		case paths.SkillAllow, paths.SkillDisallow:
			fields = []string{"profile", w.profile.Handle}
		case paths.SettingsBackups:
			fields = append(slices.Clone(fields), "directory", w.directory)
		}
		before := w.newestEvent()
		a := w.post(path, fields...)
		if c.job {
			a.want(http.StatusSeeOther)
			w.finished(a)
		}
		after := w.newestEvent()
		switch {
		case c.silent == "" && after.Seq == before.Seq:
			t.Errorf("POST %s left no event (%d)", pattern, a.status)
		case c.silent == "" && (a.status >= 400 || after.Actor.Name != uiName || after.Actor.Kind != app.ActorPerson):
			t.Errorf("POST %s: %d, event %+v", pattern, a.status, after)
		case c.silent != "" && after.Seq != before.Seq:
			t.Errorf("POST %s left %+v although %s", pattern, after, c.silent)
		}
	}
	if broken, err := w.access.Audit.Verify(t.Context()); broken != 0 || err != nil {
		t.Errorf("the chain breaks at %d, %v", broken, err)
	}
}

// asked returns two open approvals and an approved one.
func (w *walk) asked() (ids []string) {
	ctx, p := w.t.Context(), w.locked()
	_, err := w.access.CodeRules.Set(ctx, w.uiSite.person, p.Handle, app.MayRunApprovedScripts)
	w.must(err)
	for _, script := range []string{"print one", "print two", "print three"} {
		w.runs(p, script, app.StatusAwaitingApproval)
	}
	open, err := w.access.Approvals.Open(ctx)
	w.must(err)
	for _, a := range open {
		ids = append(ids, a.ID)
	}
	_, err = w.access.Approvals.Approve(ctx, w.uiSite.person, ids[2], app.ApproveAlways)
	w.must(err)
	return ids
}

func (w *walk) newestEvent() app.Event {
	w.t.Helper()
	events, err := w.access.Audit.Latest(w.t.Context(), 1)
	w.must(err)
	return events[0]
}

var uiLink = regexp.MustCompile(`(?:href|action|hx-get|hx-sse:connect)="(/ui[^"#]*)`)

// TestUINoSecretOnAnyPage follows every link and searches each answer and address for secrets.
// Profile tokens appear on their profile's page only, session tokens nowhere.
func TestUINoSecretOnAnyPage(t *testing.T) {
	t.Parallel()
	w := newWalk(t)
	w.upload(paths.CredentialPaste, "file", "PENDING="+uiSecrets()[1])
	cookie := ""
	for _, c := range w.client.Jar.Cookies(mustURL(t, w.web.URL+paths.Root)) {
		if c.Name == uix.SessionCookie {
			cookie = c.Value
		}
	}
	if cookie == "" {
		t.Fatal("no session")
	}
	queue, seen := []string{paths.Root, paths.Search + "?q=e", paths.CredentialPreview, paths.Confirm},
		map[string]bool{}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if seen[path] || strings.HasPrefix(path, "/ui/assets") || path == paths.Events || strings.HasSuffix(path,
			"/prove") {
			continue
		}
		seen[path] = true
		a := w.get(path) // which looks for uiSecrets
		if a.status >= 500 {
			t.Errorf("%s: %d", path, a.status)
		}
		for what, token := range map[string]string{"session": cookie, "another profile's id": w.gone.ID} {
			if strings.Contains(a.text, token) &&
				!strings.HasPrefix(path, paths.ProfileURL(w.gone.Handle)) {
				t.Errorf("%s shows the %s", path, what)
			}
		}
		if strings.Contains(path, "ark_") || strings.Contains(path, "exec_") || strings.Contains(path, "atk_") {
			t.Errorf("a token stands in the address %s", path)
		}
		for _, m := range uiLink.FindAllStringSubmatch(a.text, -1) {
			queue = append(queue, strings.ReplaceAll(m[1], "&amp;", "&"))
		}
		if len(seen) > 400 {
			t.Fatal("the site has no end")
		}
	}
	for _, path := range []string{paths.Settings, paths.Audit, paths.ProfileURL(w.profile.Handle),
		paths.CredentialURL("KEY"), paths.ExecutionURL(w.ended.Handle), paths.Sandbox, paths.At(paths.SettingsPerson,
			w.person)} {
		if !seen[path] {
			t.Errorf("%s was not reached", path)
		}
	}
	t.Logf("%d pages", len(seen))
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
