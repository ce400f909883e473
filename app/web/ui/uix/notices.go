package uix

import "slices"

// notices maps names to notices after actions. Cookies carry only names, so nobody can put words
// into a page.
var notices = map[string]string{
	"credential-added":   "The credential was added.",
	"credential-changed": "The credential was changed. It applies from each profile's next execution.",
	"credential-empty": "The credential was saved without a value. " +
		"Executions that need it are refused until you set it.",
	"credential-wide": "The credential was saved. Its value has characters other than ASCII: " +
		"Airlock can't put it into a header, except as user or password of Authorization: Basic.",
	"credential-weak": "The credential was saved. Its value is short or easy to guess: " +
		"redaction can't tell it from ordinary text. Use a longer one if you can.",
	"credential-scheme": "The credential was saved. Its value begins with Bearer, Basic or Token. " +
		"Scripts write that word themselves: store only what follows it.",
	"credential-owners": "The credential was saved. One of its wildcards covers names of many owners, " +
		"to whom the value could go. Name the hosts themselves.",
	"credential-parts": "The credential was saved. In output its passwords, tokens and keys, and what it " +
		"decodes to, are masked one by one; its host names, user names and ordinary lines are not.",
	"credential-no-parts": "The credential was saved. Nothing in it has the name of a secret, so only the value as a " +
		"whole is masked. Store the secret by itself if you can.",
	"credential-unresolved": "The credential was saved, but its reference does not resolve in Vault now: " +
		"executions that need it fail. Its page says why.",
	"credential-deleted": "The credential was deleted.",
	"pasted":             "Your choices were saved.",
	"nothing-pasted":     "No pasted values are left; they expire after 15 minutes. Paste them again.",
	"paste-discarded":    "The pasted values were discarded.",
	"profile-edited":     "Profile saved.",
	"profile-created":    "The profile was created. Choose its keys and hosts.",
	"profile-saved":      "Saved. Nothing is granted before you lock the profile.",
	"profile-locked":     "The profile is locked. Its agent can use it now.",
	"profile-revoked":    "The profile was revoked.",
	"profile-restored":   "Revocation undone. Its agent can use the profile again.",
	"profile-copied":     "Profile duplicated. The copy has its own id and grants nothing before you lock it.",
	"profile-deleted":    "The profile was deleted. Its executions stay in the list.",
	"hosts-added-run":    "Hosts saved. Run the script again to use them.",
	"hosts-changed": "Hosts saved. New ones apply from the next execution; " +
		"removed ones are closed at once, also for running scripts.",
	"hosts-dismissed":  "Request dismissed. Scripts reach the same hosts as before.",
	"hosts-same":       "Nothing was changed.",
	"proved":           "The sandbox was proved again.",
	"verified":         "The whole audit log was checked.",
	"approved-once":    "Approved for one execution.",
	"approved-always":  "Approved. This profile runs the script from now on.",
	"refused":          "Refused. The agent reads your reason.",
	"approval-revoked": "Revoked. The script asks again before it runs.",
	"skill-uploaded":   "Uploaded. The version waits for your review below.",
	"skill-approved":   "Approved. The profiles below can run it now.",
	"skill-revoked":    "Agents can't run this version. Running executions continue.",
	"skill-on":         "The skill is switched on.",
	"skill-off":        "The skill is switched off. Running executions continue.",
	"skill-allowed":    "The profile may run this skill.",
	"skill-disallowed": "The profile may not run this skill any more.",
	"skill-deleted":    "The skill was deleted with all its versions.",
	"rerun":            "Submitted again. This is the new execution.",
	"cancelled":        "The execution was cancelled.",
	"answered":         "The answer was sent to the script.",
	"session-ended":    "The session was ended.",
	"sessions-ended":   "The other sessions were ended.",
	"password-changed": "Your password was changed, and your other sessions were ended.",
	"passkey-added":    "Passkey added. You can log in with it.",
	"passkey-renamed":  "Passkey renamed.",
	"passkey-removed":  "Passkey removed. Delete it on its device, too.",
	"uninvited":        "Invitation withdrawn.",
	"role-changed":     "The role was changed. It counts at once.",
	"person-removed":   "Access removed.",
	"paused":           "Executions are paused. Running scripts continue; new ones wait.",
	"resumed":          "Executions resumed.",
	"session-over":     "Your session expired and nothing was saved. Log in, then send the form again.",
	"again":            "Nothing was done yet: your password was needed first. Repeat the step.",
	"keys":             "Saved for this browser.",
	"retired": "The instance is retired. Agents can't use it; " +
		"running scripts finish.",
	"unretired":       "The instance is back in use.",
	"point-deleted":   "The restore point was deleted.",
	"backups-saved":   "Backup settings saved.",
	"backup-verified": "The backup was made and verified.",
}

// Notice returns a notice by name, "" for none, and whether it warns.
func Notice(name string) (text string, warns bool) {
	return notices[name], slices.Contains([]string{
		"credential-empty", "credential-wide", "credential-weak", "credential-scheme", "credential-owners",
		"credential-no-parts", "credential-unresolved", "session-over", "again",
	}, name)
}
