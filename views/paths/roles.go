package paths

import (
	"net/http"

	"github.com/computclaw/airlock/app"
)

// RoleFor returns a route's least role, or "" for an unknown route. Nobody has "". The server
// checks it on each request; pages offer what it permits. app.RoleOwner and the others describe
// roles.
func RoleFor(method, pattern string) app.Role {
	read, send := roles(pattern)
	switch method {
	case http.MethodGet:
		return read
	case http.MethodPost:
		return send
	}
	return ""
}

// roles returns who may open a route's page and send its form.
func roles(pattern string) (read, send app.Role) {
	const nobody = app.Role("")
	switch pattern {
	case Confirm, PasskeyConfirm, PasskeyNew, PasskeyNewOptions, PasskeyRename, PasskeyRemove,
		Settings, SettingsPasskeys, SettingsPassword, SettingsTheme, SettingsKeys,
		SettingsSession, SettingsSessions: // their own account and browser; others' sessions: auth.Sessions
		return app.RoleViewer, app.RoleViewer
	case Root, Root + "/", Events, Stats, Search, Inbox, InboxCount, Sandbox, Audit, AuditExport,
		Credentials, Profiles, ProfilePath, Executions, ExecutionPath, ExecutionCompare, ExecutionImage,
		ExecutionsExport, Approvals, ApprovalPath, SkillPath, SettingsInstance, SettingsData:
		return app.RoleViewer, nobody
	case SandboxProve, AuditVerify, CredentialPath, CredentialTest,
		ProfileSetup, ProfileHosts, ProfileEdit, ProfileRestore, ProfileCopy,
		ExecutionCancel, ExecutionRerun, ExecutionRespond, ApprovalApprove, ApprovalRefuse, ApprovalRevoke,
		Skills, SkillApprove, SkillRevoke, SkillSwitch, SkillAllow, SkillDisallow, SettingsPause, SettingsResume:
		return app.RoleViewer, app.RoleOperator
	case CredentialNew, CredentialPaste, CredentialPreview, CredentialDelete,
		ProfileNew, ProfileLock, ProfileRevoke, ProfileDelete, SkillDelete, SettingsBackupNow:
		return app.RoleOperator, app.RoleOperator
	case TransferPath: // a backup's progress, too
		return app.RoleOperator, nobody
	case SettingsBackups:
		return app.RoleOperator, app.RoleOwner
	case SettingsPeople, SettingsInvite, SettingsUninvite, SettingsPerson, SettingsRole,
		SettingsMove, SettingsExport, SettingsImport, SettingsRetire, SettingsUnretire,
		RestorePointPath, TransferDownload, TransferImport:
		return app.RoleOwner, app.RoleOwner
	}
	return nobody, nobody
}
