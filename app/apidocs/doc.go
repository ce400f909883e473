// Package apidocs tells agents how to use Airlock. operations.go, schemas.go, the types of answers
// and skill.md.tmpl make SKILL.md at the repository's root, and GET /skill.md and GET /openapi.json
// of an instance.
//
// The text can describe a reader's profile. Names and reasons by agents or people are quoted so
// that they can't pass for Airlock's words: one line, clipped, without markup, in quotation marks,
// under a sentence that says so.
//
// Profile ids never appear: they are tokens, and this text is pasted into prompts.
package apidocs
