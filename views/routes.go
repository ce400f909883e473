package views

import "net/url"

// Routes of the admin UI. Patterns use echo's :name; the functions fill them in.
const (
	Root     = "/ui"
	Login    = Root + "/login"
	Logout   = Root + "/logout"
	Events   = Root + "/events"
	Sandbox  = Root + "/sandbox"
	Audit    = Root + "/audit"
	Settings = Root + "/settings"

	SettingsTheme = Settings + "/theme"

	Credentials      = Root + "/credentials"
	CredentialNew    = Root + "/new-credential" // not under Credentials, where every segment is a name
	CredentialPath   = Credentials + "/:name"
	CredentialDelete = CredentialPath + "/delete"

	Profiles        = Root + "/profiles"
	ProfileNew      = Root + "/new-profile"
	ProfilePath     = Profiles + "/:handle"
	ProfileSetup    = ProfilePath + "/setup"
	ProfileHosts    = ProfilePath + "/hosts"
	ProfileLock     = ProfilePath + "/lock"
	ProfileExpiry   = ProfilePath + "/expiry"
	ProfileDescribe = ProfilePath + "/description"
	ProfileRevoke   = ProfilePath + "/revoke"
	ProfileDelete   = ProfilePath + "/delete"

	Executions       = Root + "/executions"
	ExecutionPath    = Executions + "/:handle"
	ExecutionCancel  = ExecutionPath + "/cancel"
	ExecutionRespond = ExecutionPath + "/respond"
)

// CredentialURL is the page of one credential.
func CredentialURL(name string) string { return Credentials + "/" + url.PathEscape(name) }

// CredentialDeleteURL asks before it deletes the credential.
func CredentialDeleteURL(name string) string { return CredentialURL(name) + "/delete" }

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

// ProfileDescribeURL takes the description.
func ProfileDescribeURL(handle string) string { return ProfileURL(handle) + "/description" }

// ProfileRevokeURL asks before it revokes the profile.
func ProfileRevokeURL(handle string) string { return ProfileURL(handle) + "/revoke" }

// ProfileDeleteURL asks before it deletes the profile.
func ProfileDeleteURL(handle string) string { return ProfileURL(handle) + "/delete" }

// ExecutionURL is the page of one execution.
func ExecutionURL(handle string) string { return Executions + "/" + url.PathEscape(handle) }

// ExecutionCancelURL ends the execution.
func ExecutionCancelURL(handle string) string { return ExecutionURL(handle) + "/cancel" }

// ExecutionRespondURL answers the execution's question.
func ExecutionRespondURL(handle string) string { return ExecutionURL(handle) + "/respond" }

// ExecutionsOf lists the executions of one profile.
func ExecutionsOf(handle string) string { return Executions + "?profile=" + url.QueryEscape(handle) }

// LoginURL leads back to a page after the login.
func LoginURL(next string) string {
	if next == "" || next == Root {
		return Login
	}
	return Login + "?next=" + url.QueryEscape(next)
}
