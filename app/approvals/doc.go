// Package approvals keeps what a person approved or refused: one exact thing for one profile.
//
// A script is named by the sha256 of its bytes, so that a changed byte asks again. While a person is
// asked, the executions wait in status awaiting_approval: they hold no run slot and no box, and the
// question survives a restart. Skills have their own review, see app/skills.
package approvals
