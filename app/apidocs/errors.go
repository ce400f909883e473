package apidocs

import "github.com/computclaw/airlock/app"

// errorRows advises an agent on each code, in the order of the flow.
func errorRows() []ErrorRow {
	return []ErrorRow{
		{Code: app.CodeInvalidJSON, Do: "send one valid JSON object in UTF-8"},
		{Code: app.CodeUnknownField, Do: "rename or drop the field, as the hint says"},
		{Code: app.CodeInvalidField, Do: "correct the field that `field` names"},
		{Code: app.CodeTooLarge, Do: "send less; fetch big data inside the script"},
		{Code: app.CodeUnsupportedMedia, Do: "send JSON with its content type"},
		{Code: app.CodeUnauthorized, Do: "send the right profile id"},
		{Code: app.CodeForbidden, Do: "this is not for agents"},
		{Code: app.CodeNotFound, Do: "check the id; what belongs to another profile looks missing"},
		{Code: app.CodeFileNotFound, Do: "send the file again"},
		{Code: app.CodeInvalidSkill, Do: "correct what `field` names"},
		{Code: app.CodeSkillNameTaken, Do: "rename it"},
		{Code: app.CodeSkillNotFound, Do: "see `GET /skills`"},
		{Code: app.CodeSkillNotApproved, Do: "ask the person"},
		{Code: app.CodeSkillRevoked, Do: "use another version"},
		{Code: app.CodeSkillDisabled, Do: "ask the person"},
		{Code: app.CodePackageMissing, Do: "ask the person"},
		{Code: app.CodeMethodNotAllowed, Do: "check the method"},
		{Code: app.CodeProfileUnlocked, Do: "have the person lock it (steps 3, 4)"},
		{Code: app.CodeProfileLocked, Do: "create a new profile for other keys"},
		{Code: app.CodeProfileRevoked, Do: "stop; ask the person"},
		{Code: app.CodeProfileExpired, Do: "ask the person to extend it; the id stays"},
		{Code: app.CodeMissingValue, Do: "ask the person to set the value that the message names"},
		{Code: app.CodeNotWaiting, Do: "poll: it runs or has ended"},
		{Code: app.CodeRequestMismatch, Do: "poll for the current `request_id`"},
		{Code: app.CodeAlreadyEnded, Do: "nothing: it has ended"},
		{Code: app.CodeIdempotencyReused, Do: "use a new Idempotency-Key for another body"},
		{Code: app.CodeConflict, Do: "read again, then retry"},
		{Code: app.CodeScriptNotAllowed, Do: "run an approved skill, or ask the person"},
		{Code: app.CodeScriptRefused, Do: "change the script as the message says"},
		{Code: app.CodeQueueFull, Do: "retry after `Retry-After` seconds"},
		{Code: app.CodeRateLimited, Do: "retry after `Retry-After` seconds"},
		{Code: app.CodeProfilesDisabled, Do: "ask the person for the id of a profile"},
		{Code: app.CodeInstanceRetired, Do: "ask the person for the new address; the profile id stays"},
		{Code: app.CodeStorageBusy, Do: "retry after `Retry-After` seconds"},
		{Code: app.CodeStorageFull, Do: "retry later; tell the person if the disk stays full"},
		{Code: app.CodeSandboxUnavailable, Do: "wait or tell the person, as the hint says"},
		{Code: app.CodeInternal, Do: "retry once, then tell the person"},
	}
}
