package paths

import (
	"net/url"
	"strconv"
	"strings"
)

// Routes of the admin UI. Patterns use echo's :name; functions fill them in.
const (
	Root     = "/ui"
	Login    = Root + "/login"
	Token    = Login + "/token" // login by token
	Welcome  = Root + "/welcome"
	Confirm  = Root + "/confirm"
	Logout   = Root + "/logout"
	Search   = Root + "/search"
	Events   = Root + "/events"
	Stats    = Root + "/stats"
	Inbox    = Root + "/inbox"
	Sandbox  = Root + "/sandbox"
	Audit    = Root + "/audit"
	Settings = Root + "/settings"

	PasskeyLogin   = Login + "/passkey"
	PasskeyOptions = PasskeyLogin + "/options" // for a browser's passkey login or confirmation
	PasskeyConfirm = Confirm + "/passkey"

	PasskeyNew        = Settings + "/new-passkey" // under SettingsPasskeys every segment is an ID
	PasskeyNewOptions = PasskeyNew + "/options"
	SettingsPasskeys  = Settings + "/passkeys"
	PasskeyRemove     = SettingsPasskeys + "/:id/remove"
	PasskeyRename     = SettingsPasskeys + "/:id/rename"

	SandboxProve     = Sandbox + "/prove"
	SettingsPeople   = Settings + "/people"
	SettingsInstance = Settings + "/instance"
	SettingsData     = Settings + "/data"
	SettingsTheme    = Settings + "/theme"
	SettingsPassword = Settings + "/password"
	SettingsSession  = Settings + "/sessions/:id/end"
	SettingsSessions = Settings + "/sessions/end"
	SettingsInvite   = Settings + "/invite"
	SettingsUninvite = Settings + "/invitations/:id/end"
	SettingsPerson   = Settings + "/people/:id/remove"
	SettingsRole     = Settings + "/people/:id/role"
	SettingsKeys     = Settings + "/keys"
	SettingsPause    = Settings + "/pause"
	SettingsResume   = Settings + "/resume"
	InboxCount       = Inbox + "/count"
	AuditVerify      = Audit + "/verify"
	AuditExport      = Audit + "/export"

	SettingsMove      = Settings + "/move"
	SettingsExport    = SettingsMove + "/export"
	SettingsImport    = SettingsMove + "/import"
	SettingsRetire    = SettingsMove + "/retire"
	SettingsUnretire  = SettingsMove + "/unretire"
	RestorePointPath  = SettingsMove + "/points/:name/delete"
	TransferPath      = SettingsMove + "/jobs/:id"
	TransferDownload  = TransferPath + "/download"
	TransferImport    = TransferPath + "/import"
	SettingsBackups   = Settings + "/backups"
	SettingsBackupNow = SettingsBackups + "/now"

	Credentials       = Root + "/credentials"
	CredentialNew     = Root + "/new-credential" // under Credentials every segment is a name
	CredentialPaste   = Root + "/paste-credentials"
	CredentialPreview = CredentialPaste + "/preview"
	CredentialPath    = Credentials + "/:name"
	CredentialDelete  = CredentialPath + "/delete"
	CredentialTest    = CredentialPath + "/test"

	Profiles       = Root + "/profiles"
	ProfileNew     = Root + "/new-profile"
	ProfilePath    = Profiles + "/:handle"
	ProfileSetup   = ProfilePath + "/setup"
	ProfileHosts   = ProfilePath + "/hosts"
	ProfileLock    = ProfilePath + "/lock"
	ProfileEdit    = ProfilePath + "/edit"
	ProfileRevoke  = ProfilePath + "/revoke"
	ProfileDelete  = ProfilePath + "/delete"
	ProfileRestore = ProfilePath + "/restore"
	ProfileCopy    = ProfilePath + "/duplicate"

	Executions       = Root + "/executions"
	ExecutionPath    = Executions + "/:handle"
	ExecutionCancel  = ExecutionPath + "/cancel"
	ExecutionRespond = ExecutionPath + "/respond"
	ExecutionRerun   = ExecutionPath + "/rerun"
	ExecutionCompare = ExecutionPath + "/compare"
	ExecutionImage   = ExecutionPath + "/image"
	Approvals        = Root + "/approvals"
	ApprovalPath     = Approvals + "/:id"
	ApprovalApprove  = ApprovalPath + "/approve"
	ApprovalRefuse   = ApprovalPath + "/refuse"
	ApprovalRevoke   = ApprovalPath + "/revoke"

	Skills        = Root + "/skills"
	SkillPath     = Skills + "/:name"
	SkillApprove  = SkillPath + "/approve"
	SkillRevoke   = SkillPath + "/revoke"
	SkillSwitch   = SkillPath + "/switch"
	SkillAllow    = SkillPath + "/allow"
	SkillDisallow = SkillPath + "/disallow"
	SkillDelete   = SkillPath + "/delete"

	ExecutionsExport = Root + "/export-executions" // under Executions every segment is a handle
)

// At fills in a pattern's one parameter.
func At(pattern, value string) string {
	before, rest, _ := strings.Cut(pattern, ":")
	_, after, nested := strings.Cut(rest, "/")
	if nested {
		after = "/" + after
	}
	return before + url.PathEscape(value) + after
}

// CredentialURL is the page of one credential.
func CredentialURL(name string) string { return At(CredentialPath, name) }

// ProfileURL returns a profile's page, by handle because the id is a token.
func ProfileURL(handle string) string { return At(ProfilePath, handle) }

// ExecutionURL is the page of one execution.
func ExecutionURL(handle string) string { return At(ExecutionPath, handle) }

// ArtifactPreviewURL returns an execution's page with an artifact's preview.
func ArtifactPreviewURL(handle, name string) string {
	return ExecutionURL(handle) + "?preview=" + url.QueryEscape(name) + "#preview"
}

// ArtifactImageURL is an artifact that is an image.
func ArtifactImageURL(handle, name string) string {
	return At(ExecutionImage, handle) + "?name=" + url.QueryEscape(name)
}

// ApprovalURL is the page of one approval.
func ApprovalURL(id string) string { return At(ApprovalPath, id) }

// SkillURL is the page of one skill.
func SkillURL(name string) string { return At(SkillPath, name) }

// SkillVersionURL returns a skill's page with a version.
func SkillVersionURL(name string, number int) string {
	return SkillURL(name) + "?version=" + strconv.Itoa(number)
}

// ExecutionsOf lists the executions of one profile.
func ExecutionsOf(handle string) string { return Executions + "?profile=" + url.QueryEscape(handle) }

// ExecutionsWith lists the executions that had a credential.
func ExecutionsWith(credential string) string {
	return Executions + "?credential=" + url.QueryEscape(credential)
}

// ConfirmURL returns the password page, which leads to next.
func ConfirmURL(next string) string { return Confirm + "?next=" + url.QueryEscape(next) }

// LoginURL returns the login, which leads to next.
func LoginURL(next string) string { return addNext(Login, next) }

// TokenURL is LoginURL for a token.
func TokenURL(next string) string { return addNext(Token, next) }

// WelcomeURL returns the page where a token's holder chooses name and password. It leads to next.
func WelcomeURL(next string) string { return addNext(Welcome, next) }

// addNext adds next unless it is the overview.
func addNext(path, next string) string {
	if next == "" || next == Root {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}
