package paths

import (
	"net/url"
)

// Routes of the admin UI. Patterns use echo's :name; the functions fill them in.
const (
	Root     = "/ui"
	Login    = Root + "/login"
	Token    = Login + "/token" // the login with a token instead of a name and a password
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

	SandboxProve     = Sandbox + "/prove"
	SettingsTheme    = Settings + "/theme"
	SettingsPassword = Settings + "/password"
	SettingsSession  = Settings + "/sessions/:id/end"
	SettingsSessions = Settings + "/sessions/end"
	SettingsInvite   = Settings + "/invite"
	SettingsUninvite = Settings + "/invitations/:id/end"
	SettingsPerson   = Settings + "/people/:id/remove"
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
	CredentialNew     = Root + "/new-credential" // not under Credentials, where every segment is a name
	CredentialPaste   = Root + "/paste-credentials"
	CredentialPreview = CredentialPaste + "/preview"
	CredentialPath    = Credentials + "/:name"
	CredentialDelete  = CredentialPath + "/delete"
	CredentialTest    = CredentialPath + "/test"

	Profiles        = Root + "/profiles"
	ProfileNew      = Root + "/new-profile"
	ProfilePath     = Profiles + "/:handle"
	ProfileSetup    = ProfilePath + "/setup"
	ProfileHosts    = ProfilePath + "/hosts"
	ProfileLock     = ProfilePath + "/lock"
	ProfileExpiry   = ProfilePath + "/expiry"
	ProfilePlace    = ProfilePath + "/placement"
	ProfileDescribe = ProfilePath + "/description"
	ProfileRevoke   = ProfilePath + "/revoke"
	ProfileDelete   = ProfilePath + "/delete"
	ProfileRestore  = ProfilePath + "/restore"
	ProfileCopy     = ProfilePath + "/duplicate"

	Executions       = Root + "/executions"
	ExecutionPath    = Executions + "/:handle"
	ExecutionCancel  = ExecutionPath + "/cancel"
	ExecutionRespond = ExecutionPath + "/respond"
	ExecutionRerun   = ExecutionPath + "/rerun"
	ExecutionCompare = ExecutionPath + "/compare"
	ExecutionPrint   = ExecutionPath + "/print"
	ExecutionsExport = Root + "/export-executions" // not under Executions, where every segment is a handle
)

// RestorePointURL asks before it deletes the restore point.
func RestorePointURL(name string) string {
	return SettingsMove + "/points/" + url.PathEscape(name) + "/delete"
}

// CredentialURL is the page of one credential.
func CredentialURL(name string) string { return Credentials + "/" + url.PathEscape(name) }

// CredentialDeleteURL asks before it deletes the credential.
func CredentialDeleteURL(name string) string { return CredentialURL(name) + "/delete" }

// CredentialTestURL sends a test request with the credential.
func CredentialTestURL(name string) string { return CredentialURL(name) + "/test" }

// ProfileURL is the page of one profile; it is named by its handle, because its id is a token.
func ProfileURL(handle string) string { return Profiles + "/" + url.PathEscape(handle) }

// ProfileSetupURL takes the form of an unlocked profile.
func ProfileSetupURL(handle string) string { return ProfileURL(handle) + "/setup" }

// ProfileHostsURL takes the hosts of a locked profile.
func ProfileHostsURL(handle string) string { return ProfileURL(handle) + "/hosts" }

// ProfileLockURL shows what locking grants, and locks.
func ProfileLockURL(handle string) string { return ProfileURL(handle) + "/lock" }

// ProfileExpiryURL takes the expiry.
func ProfileExpiryURL(handle string) string { return ProfileURL(handle) + "/expiry" }

// ProfilePlaceURL takes where scripts may run.
func ProfilePlaceURL(handle string) string { return ProfileURL(handle) + "/placement" }

// ProfileDescribeURL takes the description.
func ProfileDescribeURL(handle string) string { return ProfileURL(handle) + "/description" }

// ProfileRevokeURL asks before it revokes the profile.
func ProfileRevokeURL(handle string) string { return ProfileURL(handle) + "/revoke" }

// ProfileRestoreURL takes a revocation back.
func ProfileRestoreURL(handle string) string { return ProfileURL(handle) + "/restore" }

// ProfileCopyURL duplicates the profile.
func ProfileCopyURL(handle string) string { return ProfileURL(handle) + "/duplicate" }

// ProfileDeleteURL asks before it deletes the profile.
func ProfileDeleteURL(handle string) string { return ProfileURL(handle) + "/delete" }

// ExecutionURL is the page of one execution.
func ExecutionURL(handle string) string { return Executions + "/" + url.PathEscape(handle) }

// ExecutionCancelURL ends the execution.
func ExecutionCancelURL(handle string) string { return ExecutionURL(handle) + "/cancel" }

// ExecutionRerunURL runs the execution again.
func ExecutionRerunURL(handle string) string { return ExecutionURL(handle) + "/rerun" }

// ExecutionCompareURL shows the execution beside another.
func ExecutionCompareURL(handle string) string { return ExecutionURL(handle) + "/compare" }

// ExecutionPrintURL is the execution on paper.
func ExecutionPrintURL(handle string) string { return ExecutionURL(handle) + "/print" }

// ExecutionRespondURL answers the execution's question.
func ExecutionRespondURL(handle string) string { return ExecutionURL(handle) + "/respond" }

// ExecutionsOf lists the executions of one profile.
func ExecutionsOf(handle string) string { return Executions + "?profile=" + url.QueryEscape(handle) }

// SettingsSessionURL ends one session.
func SettingsSessionURL(id string) string {
	return Settings + "/sessions/" + url.PathEscape(id) + "/end"
}

// SettingsUninviteURL takes an invitation back.
func SettingsUninviteURL(id string) string {
	return Settings + "/invitations/" + url.PathEscape(id) + "/end"
}

// SettingsPersonURL takes somebody's access away.
func SettingsPersonURL(id string) string {
	return Settings + "/people/" + url.PathEscape(id) + "/remove"
}

// ConfirmURL asks for the password and leads on to a page.
func ConfirmURL(next string) string { return Confirm + "?next=" + url.QueryEscape(next) }

// LoginURL leads back to a page after the login.
func LoginURL(next string) string {
	if next == "" || next == Root {
		return Login
	}
	return Login + "?next=" + url.QueryEscape(next)
}

// TokenURL is LoginURL for those who have a token.
func TokenURL(next string) string {
	if next == "" || next == Root {
		return Token
	}
	return Token + "?next=" + url.QueryEscape(next)
}

// WelcomeURL asks the holder of a token for a name and a password, and leads on to a page.
func WelcomeURL(next string) string {
	if next == "" || next == Root {
		return Welcome
	}
	return Welcome + "?next=" + url.QueryEscape(next)
}

// TransferURL is the page of an export or import under way.
func TransferURL(id string) string { return SettingsMove + "/jobs/" + url.PathEscape(id) }

// TransferDownloadURL gives out an export's file.
func TransferDownloadURL(id string) string { return TransferURL(id) + "/download" }

// TransferImportURL imports what a preview showed.
func TransferImportURL(id string) string { return TransferURL(id) + "/import" }
