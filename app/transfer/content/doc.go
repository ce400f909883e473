// Package content defines the lines of an .airlock file and their rules.
//
// A file is logical, not a copy of the database: lines of JSON in versions of their own, inside the
// container of package archive. Credential values, scripts and ids are unsealed in it, since the
// instance key is never inside; the passphrase alone protects them. docs/airlock-file.md describes
// the format.
//
// Reading is strict. A line with an unknown member, in the wrong place or against a rule for
// people's input refuses the whole file: an older program must not drop a restriction that it
// doesn't know. A new member is therefore a new content version.
//
// # Lines
//
// An execution's output and result are one line, and a line has a bound, for the reader's memory.
// JSON may write a byte as six, and an execution that didn't fit would make every backup fail. So
// the limits of scripts must leave room for the worst case, which a server checks when it starts
// (CheckLimits).
package content
