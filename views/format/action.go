package format

import "strings"

// actions names actions that are not just a kind and a verb.
var actions = map[string]string{
	"admin.token":           "Admin token created",
	"approval.approve":      "Script approved",
	"approval.ask":          "Approval requested",
	"approval.refuse":       "Script refused",
	"authority.create":      "Certificate authority created",
	"backup.failed":         "Backup failed",
	"backup.missed":         "Backup missed",
	"backup.settings":       "Backup settings changed",
	"backup.verified":       "Backup made",
	"credential.set":        "Value set",
	"execution.answer":      "LLM question answered",
	"execution.cancel":      "Execution cancelled",
	"execution.rerun":       "Execution re-run",
	"instance.unretire":     "Instance back in use",
	"person.password":       "Password changed",
	"person.role":           "Role changed",
	"profile.expiry":        "Expiration changed",
	"profile.hosts":         "Hosts changed",
	"profile.key_remove":    "Key removed",
	"profile.keys":          "Keys requested",
	"profile.link":          "Key linked",
	"profile.may_run":       "Allowed code changed",
	"profile.placement":     "Sandbox changed",
	"profile.propose_hosts": "Hosts requested",
	"profile.request_host":  "Host requested",
	"session.enroll":        "Token used",
	"session.login":         "Logged in",
	"session.logout":        "Logged out",
	"session.refuse":        "Login refused",
	"transfer.download":     "Export downloaded",
	"transfer.export":       "Export made",
	"transfer.forget":       "Restore point deleted",
	"transfer.import":       "File imported",
}

// ActionWord names an action: person.invite is "Person invited".
func ActionWord(action string) string {
	if word := actions[action]; word != "" {
		return word
	}
	kind, verb, _ := strings.Cut(action, ".")
	return Sentence(kind) + " " + strings.TrimSuffix(strings.ReplaceAll(verb, "_", " "), "e") + "ed"
}
