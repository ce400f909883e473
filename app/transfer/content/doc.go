// Package content is what an .airlock file says: its lines, and the rules that they have to keep.
//
// A file is logical, not a copy of the database: lines of JSON, one thing each, in versions of
// their own, inside the container of package archive. Credential values, scripts and ids stand in
// it opened, since the instance key is never inside; the passphrase alone protects them.
// docs/airlock-file.md is the format in words.
//
// Reading is strict. A line that holds an unknown member, stands in the wrong place or breaks a
// rule that holds for what people type refuses the whole file, because a restriction that an older
// program doesn't know must not get lost on the way. A new member is therefore a new content
// version.
//
// # Lines
//
// An execution's output and result are one line, and a line has a bound, for the memory of who
// reads it. JSON makes as much as six bytes of one, and an execution that didn't fit would make
// every backup fail. So the limits under which scripts run must leave room for the worst of them
// (CheckLimits), which a server checks when it starts, and a line of a file is refused that would
// grow beyond the bound when it is written again. Both need no other form of the text in the file,
// which old programs could not read; and limits beyond that are of little use, since agents read an
// output whole.
package content
