// Package apidocs tells agents how to use Airlock. One source, the tables in operations.go and
// schemas.go and the text in skill.md.tmpl, makes SKILL.md at the repository's root (for agents
// that have no instance yet), GET /skill.md of a running instance, and GET /openapi.json.
//
// A reader's profile can be added to the text. What an agent or a person once wrote about it
// (names, reasons) is quoted so that it can't pass for Airlock's own words: one line, clipped,
// without markup, between quotation marks, under a sentence that says so.
//
// Profile ids never appear, not even the reader's own: they are tokens, and this text is made to be
// pasted into prompts.
package apidocs
