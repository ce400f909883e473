package uix

import "slices"

// notices are what pages say after an action. The cookie carries only the name, so nobody can put
// words into a page.
func notices() map[string]string {
	return map[string]string{
		"credential-added":   "The credential was added.",
		"credential-changed": "The credential was changed. Every profile sees it from its next execution on.",
		"credential-empty": "The credential was saved without a value. " +
			"Scripts that ask for it get none until somebody sets it here.",
		"credential-wide": "The credential was saved. Its value has characters other than ASCII: " +
			"Airlock can't put it into a header, except as user or password of Authorization: Basic.",
		"credential-weak": "The credential was saved. Its value is short or easy to guess, " +
			"so that redaction can't tell it from ordinary text: use a longer one if you can.",
		"credential-unresolved": "The credential was saved, but its reference does not resolve in Vault now: " +
			"executions that need it fail. Its page says why.",
		"credential-deleted": "The credential was deleted.",
		"pasted":             "What you chose was stored.",
		"nothing-pasted":     "There is nothing to decide about. What was pasted is forgotten after a quarter of an hour.",
		"paste-discarded":    "What was pasted was thrown away.",
		"profile-created":    "The profile was created. Choose its keys and hosts.",
		"profile-saved":      "Saved. Nothing is granted before you lock the profile.",
		"profile-locked":     "The profile is locked. Its agent can use it now.",
		"profile-revoked":    "The profile was revoked.",
		"profile-restored":   "Revocation undone. Its agent can use the profile again.",
		"profile-copied":     "This is the copy. It has an id of its own, and grants nothing before you lock it.",
		"profile-deleted":    "The profile was deleted. Its executions stay in the list.",
		"profile-renamed":    "The profile was renamed.",
		"hosts-added":        "The hosts were saved. They count from the next execution on.",
		"hosts-removed":      "It was taken away at once, also from what runs now.",
		"hosts-changed": "The hosts were saved. What was added counts from the next execution on; " +
			"what was taken away was taken at once, also from what runs now.",
		"hosts-dismissed":  "The request was dismissed. What scripts reach stays as it was.",
		"hosts-same":       "Nothing was changed.",
		"expiry-changed":   "The end was saved.",
		"placed":           "Where its scripts run was saved. It counts for executions from now on.",
		"proved":           "The proofs were taken again.",
		"verified":         "The whole chain was walked.",
		"rerun":            "It was submitted again. This is the new execution.",
		"cancelled":        "The execution was cancelled.",
		"answered":         "The answer was sent to the script.",
		"session-ended":    "The session was ended.",
		"sessions-ended":   "The other sessions were ended.",
		"password-changed": "Your password was changed, and your other sessions were ended.",
		"uninvited":        "The invitation was taken back.",
		"person-removed":   "Their access was taken away.",
		"paused":           "Executions are paused. Running ones go on, queued ones wait.",
		"resumed":          "Executions go on.",
		"session-over":     "Your session was over, so nothing was saved. Log in, then send the form again.",
		"again":            "Nothing was done yet, since your password was asked for first. Do it again.",
		"keys":             "Saved for this browser.",
		"retired": "The instance is retired. It takes nothing from agents any more; " +
			"what runs goes on to its end.",
		"unretired":     "The instance executes again.",
		"point-deleted": "The restore point was deleted.",
		"backups-saved": "The backups were saved.",
		"theme":         "The theme was saved for this browser.",
	}
}

// IsNotice reports whether a page can say something by this name.
func IsNotice(name string) bool { return notices()[name] != "" }

// isWarning reports whether a notice is about something that is not well.
func isWarning(notice string) bool {
	return slices.Contains([]string{
		"credential-empty", "credential-wide", "credential-weak", "credential-unresolved", "session-over", "again",
	}, notice)
}
