package uix

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

// roles are what a route needs: to read it, and to act by sending its form.
type roles struct{ get, post app.Role }

// routeRoles says who may use each route of people. A route that isn't here is nobody's.
// What each role is for: app.RoleOwner and the others.
func routeRoles() map[string]roles {
	const owner, operator, viewer, nobody = app.RoleOwner, app.RoleOperator, app.RoleViewer, app.Role("")
	reads, acts, decides := roles{viewer, nobody}, roles{viewer, operator}, roles{operator, operator}
	own, rules := roles{viewer, viewer}, roles{owner, owner}
	return map[string]roles{
		// What everybody who is logged in may do to their own account and browser.
		paths.Confirm: own, paths.PasskeyConfirm: own, paths.PasskeyNew: own, paths.PasskeyNewOptions: own,
		paths.PasskeyRename:    own,
		paths.SettingsPasskeys: own, paths.PasskeyRemove: own, paths.SettingsPassword: own, paths.SettingsTheme: own,
		paths.SettingsKeys:    own,
		paths.SettingsSession: own, paths.SettingsSessions: own, // others' sessions: owners, see auth.Sessions

		paths.Root: reads, paths.Root + "/": reads, paths.Events: reads, paths.Stats: reads, paths.Search: reads,
		paths.Inbox: reads, paths.InboxCount: reads, paths.Sandbox: reads, paths.SandboxProve: acts,
		paths.Audit: reads, paths.AuditExport: reads, paths.AuditVerify: acts,

		paths.Credentials: reads, paths.CredentialPath: acts, paths.CredentialTest: acts, paths.CredentialNew: decides,
		paths.CredentialPaste: decides, paths.CredentialPreview: decides, paths.CredentialDelete: decides,

		paths.Profiles: reads, paths.ProfilePath: reads, paths.ProfileSetup: acts, paths.ProfileHosts: acts,
		paths.ProfileEdit: acts, paths.ProfileRestore: acts, paths.ProfileCopy: acts, paths.ProfileNew: decides,
		paths.ProfileLock: decides, paths.ProfileRevoke: decides, paths.ProfileDelete: decides,

		paths.Executions: reads, paths.ExecutionPath: reads, paths.ExecutionCompare: reads, paths.ExecutionPrint: reads,
		paths.ExecutionImage: reads, paths.ExecutionsExport: reads, paths.ExecutionCancel: acts, paths.ExecutionRerun: acts,
		paths.ExecutionRespond: acts,

		paths.Approvals: reads, paths.ApprovalPath: reads, paths.ApprovalApprove: acts, paths.ApprovalRefuse: acts,
		paths.ApprovalRevoke: acts,

		paths.Skills: acts, paths.SkillPath: reads, paths.SkillApprove: acts, paths.SkillRevoke: acts,
		paths.SkillSwitch: acts, paths.SkillAllow: acts, paths.SkillDisallow: acts, paths.SkillDelete: decides,

		paths.Settings: reads, paths.SettingsInstance: reads, paths.SettingsData: reads, paths.SettingsPause: acts,
		paths.SettingsResume: acts,

		paths.SettingsPeople: rules, paths.SettingsInvite: rules, paths.SettingsUninvite: rules,
		paths.SettingsPerson: rules, paths.SettingsRole: rules,

		paths.SettingsMove: rules, paths.SettingsExport: rules, paths.SettingsImport: rules, paths.SettingsRetire: rules,
		paths.SettingsUnretire: rules, paths.RestorePointPath: rules, paths.TransferDownload: rules,
		paths.TransferImport:  rules,
		paths.TransferPath:    {operator, nobody}, // a backup's progress, too
		paths.SettingsBackups: {operator, owner}, paths.SettingsBackupNow: decides,
	}
}

// RoleFor returns the role that a route needs, by its method and pattern; "", which nobody has, for
// one that isn't known.
func RoleFor(method, pattern string) app.Role {
	switch needs := routeRoles()[pattern]; method {
	case http.MethodGet:
		return needs.get
	case http.MethodPost:
		return needs.post
	}
	return ""
}

// addressRoles finds the roles of addresses, which routes are patterns for.
type addressRoles struct {
	exact    map[string]roles
	patterns map[int][]addressPattern // by number of segments
}

type addressPattern struct {
	segments []string
	roles    roles
}

func newAddressRoles() addressRoles {
	a := addressRoles{routeRoles(), map[int][]addressPattern{}}
	for pattern, needs := range a.exact {
		if segments := strings.Split(pattern, "/"); strings.Contains(pattern, ":") {
			a.patterns[len(segments)] = append(a.patterns[len(segments)], addressPattern{segments, needs})
		}
	}
	return a
}

// rolesFor returns the roles that an address of this UI needs. The query doesn't matter.
func (a addressRoles) rolesFor(address string) roles {
	path, _, _ := strings.Cut(address, "#")
	path, _, _ = strings.Cut(path, "?")
	if needs, ok := a.exact[path]; ok {
		return needs
	}
	segments := strings.Split(path, "/")
	for _, p := range a.patterns[len(segments)] {
		if p.matches(segments) {
			return p.roles
		}
	}
	return roles{}
}

func (p addressPattern) matches(segments []string) bool {
	for i, s := range p.segments {
		if s != segments[i] && !strings.HasPrefix(s, ":") {
			return false
		}
	}
	return true
}

// Readable returns what reports whether the person of a request may read the page at an address of
// this UI.
func Readable(c echo.Context) func(address string) bool {
	role, routes := Session(c).Role, newAddressRoles()
	return func(address string) bool { return role.Includes(routes.rolesFor(address).get) }
}

// errRole refuses what the role of a person doesn't include.
func errRole(has, needed app.Role) error {
	hint := "Ask an owner of this Airlock; they change roles in Settings, People."
	if needed == "" {
		return app.E(app.CodeForbidden, "nobody may do this", hint)
	}
	return app.E(app.CodeForbidden,
		fmt.Sprintf("this is for the role %s or above, and yours is %s; nothing was done", needed, has), hint)
}
