// Package approvals keeps people's decisions on scripts, each for one profile.
//
// A script is named by the sha256 of its bytes, so a changed byte asks again. Meanwhile executions
// wait in status awaiting_approval, without run slot or box, across restarts. Skills have their own
// review, see app/skills.
package approvals
