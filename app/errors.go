package app

import (
	"errors"
	"fmt"
)

// Code is a machine-readable error code. Codes belong to the agent API and are never removed.
type Code string

// The codes. Only app/web maps them to HTTP statuses.
const (
	CodeInvalidJSON        Code = "invalid_json"        // the body is not one JSON object
	CodeUnknownField       Code = "unknown_field"       // a field this version doesn't know
	CodeInvalidField       Code = "invalid_field"       // a field's type or value is not allowed
	CodeTooLarge           Code = "too_large"           // body, script or inputs over the limit
	CodeUnauthorized       Code = "unauthorized"        // no or unknown credentials
	CodeForbidden          Code = "forbidden"           // known, but not allowed
	CodeNotFound           Code = "not_found"           // no such thing, or not yours
	CodeMethodNotAllowed   Code = "method_not_allowed"  //
	CodeUnsupportedMedia   Code = "unsupported_media"   // the body's content type is not JSON
	CodeProfileUnlocked    Code = "profile_unlocked"    // a person must lock it first
	CodeProfileLocked      Code = "profile_locked"      // its keys are fixed
	CodeProfileRevoked     Code = "profile_revoked"     //
	CodeProfileExpired     Code = "profile_expired"     //
	CodeMissingValue       Code = "missing_value"       // a key has no credential value yet
	CodeFileNotFound       Code = "file_not_found"      // not the profile's, or it has ended
	CodeNotWaiting         Code = "not_waiting"         // the execution is not waiting for an LLM answer
	CodeRequestMismatch    Code = "request_mismatch"    // request_id is not the one waited for
	CodeAlreadyEnded       Code = "already_ended"       // the execution is terminal
	CodeIdempotencyReused  Code = "idempotency_reused"  // same key, other body
	CodeConflict           Code = "conflict"            // somebody else changed it first, or the name is taken
	CodeInUse              Code = "in_use"              // still referred to
	CodeScriptNotAllowed   Code = "script_not_allowed"  // the profile runs approved skills only
	CodeScriptRefused      Code = "script_refused"      // a person refused this very script
	CodeQueueFull          Code = "queue_full"          //
	CodeRateLimited        Code = "rate_limited"        //
	CodeProfilesDisabled   Code = "profiles_disabled"   // the operator switched agent-made profiles off
	CodeSandboxUnavailable Code = "sandbox_unavailable" // no backend passed its checks
	CodeInstanceRetired    Code = "instance_retired"    // it moved to another address and runs nothing
	// another process held the database too long, so something was not stored
	CodeStorageBusy Code = "storage_busy"
	CodeStorageFull Code = "storage_full" // no room on the disk; nothing new is taken until there is
	CodeUnreachable Code = "unreachable"  // an allowed host that did not answer
	CodeInternal    Code = "internal"     //

	CodeInvalidSkill     Code = "invalid_skill"      // a bundle that is no skill, or asks for what is not allowed
	CodeSkillNameTaken   Code = "skill_name_taken"   // another profile's, or a person's
	CodeSkillNotFound    Code = "skill_not_found"    // no such version, or not for this profile
	CodeSkillNotApproved Code = "skill_not_approved" // a person has to review it first
	CodeSkillRevoked     Code = "skill_revoked"      // no version that is left is approved
	CodeSkillDisabled    Code = "skill_disabled"     // a person switched it off
	CodePackageMissing   Code = "package_missing"    // the sandbox lacks what a skill imports
)

// Error tells an agent or a person the problem and the next step. It wraps its cause, which is
// logged and never shown.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Field   string `json:"field,omitempty"` // the input field at fault, if one is; forms show the message beside it
	Cause   error  `json:"-"`
}

// ErrorBody is the JSON form of errors for agents.
type ErrorBody struct {
	Error *Error `json:"error"`
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// E makes an Error.
func E(code Code, message, hint string) *Error {
	return &Error{Code: code, Message: message, Hint: hint}
}

// Invalid makes an Error about one input field.
func Invalid(field, message, hint string) *Error {
	return &Error{Code: CodeInvalidField, Field: field, Message: message, Hint: hint}
}

// CodeOf returns the code of the first Error in err's chain. It is CodeInternal without one, and ""
// for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
