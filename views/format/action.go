package format

import "strings"

// actionWords names the audit log's actions.
func actionWords() map[string]string {
	return map[string]string{
		"admin.token":           "Admin token created",
		"approval.approve":      "Script approved",
		"approval.ask":          "Approval requested",
		"approval.refuse":       "Script refused",
		"approval.revoke":       "Approval revoked",
		"authority.create":      "Certificate authority created",
		"backup.failed":         "Backup failed",
		"backup.missed":         "Backup missed",
		"backup.settings":       "Backup settings changed",
		"backup.verified":       "Backup made",
		"credential.change":     "Credential changed",
		"credential.create":     "Credential added",
		"credential.delete":     "Credential deleted",
		"credential.import":     "Credential imported",
		"credential.rotate":     "Value replaced",
		"credential.set":        "Value set",
		"credential.test":       "Credential tested",
		"execution.answer":      "LLM question answered",
		"execution.cancel":      "Execution cancelled",
		"execution.rerun":       "Execution re-run",
		"executions.pause":      "Executions paused",
		"executions.resume":     "Executions resumed",
		"instance.restore":      "Database restored",
		"instance.retire":       "Instance retired",
		"instance.unretire":     "Instance back in use",
		"key.rotate":            "Instance key replaced",
		"passkey.create":        "Passkey added",
		"passkey.delete":        "Passkey removed",
		"passkey.rename":        "Passkey renamed",
		"person.create":         "Account created",
		"person.delete":         "Access removed",
		"person.invite":         "Invitation created",
		"person.password":       "Password changed",
		"person.role":           "Role changed",
		"person.uninvite":       "Invitation withdrawn",
		"profile.create":        "Profile created",
		"profile.delete":        "Profile deleted",
		"profile.describe":      "Profile described",
		"profile.duplicate":     "Profile duplicated",
		"profile.expiry":        "Expiration changed",
		"profile.hosts":         "Hosts changed",
		"profile.import":        "Profile imported",
		"profile.key_remove":    "Key removed",
		"profile.keys":          "Keys requested",
		"profile.link":          "Key linked",
		"profile.lock":          "Profile locked",
		"profile.may_run":       "Allowed code changed",
		"profile.placement":     "Sandbox changed",
		"profile.propose_hosts": "Hosts requested",
		"profile.request_host":  "Host requested",
		"profile.restore":       "Revocation undone",
		"profile.revoke":        "Profile revoked",
		"sandbox.prove":         "Sandbox proved",
		"session.confirm":       "Password confirmed",
		"session.end":           "Session ended",
		"session.enroll":        "Token used",
		"session.login":         "Logged in",
		"session.logout":        "Logged out",
		"session.refuse":        "Login refused",
		"skill.allow":           "Skill allowed",
		"skill.approve":         "Skill approved",
		"skill.delete":          "Skill deleted",
		"skill.disable":         "Skill switched off",
		"skill.disallow":        "Skill disallowed",
		"skill.enable":          "Skill switched on",
		"skill.import":          "Skill imported",
		"skill.reject":          "Skill rejected",
		"skill.revoke":          "Skill revoked",
		"skill.upload":          "Skill uploaded",
		"transfer.archive":      "Audit log imported",
		"transfer.download":     "Export downloaded",
		"transfer.export":       "Export made",
		"transfer.forget":       "Restore point deleted",
		"transfer.import":       "File imported",
	}
}

// ActionWord names an action; unknown ones stay as they are.
func ActionWord(action string) string {
	if word := actionWords()[action]; word != "" {
		return word
	}
	kind, verb, _ := strings.Cut(action, ".")
	return strings.ToUpper(kind[:min(1, len(kind))]) + kind[min(1, len(kind)):] + " " + strings.ReplaceAll(verb, "_", " ")
}
