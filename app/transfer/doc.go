// Package transfer moves what an instance has into .airlock files and back: exports, imports and
// restores. Package backups makes such files by a schedule.
//
// # What a file is
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
// # Importing
//
// A plan says of every credential and profile in a file whether it is new here, the same, or
// different, and what writing it would change. A person chooses; the import makes the same plan
// again inside its one write transaction, refuses if anything differs from what the person saw, and
// writes. Ids are sealed and hashed anew with this instance's key.
//
//   - A profile that is revoked here stays revoked, and a locked one stays locked with its keys,
//     whatever the person chooses.
//   - A change that lets a profile do more than it can here now (a later end, another host, another
//     mode) needs a yes to that one item.
//   - A new profile is linked to a credential that is here and differs from the file's only with
//     such a yes. Otherwise a file could carry a profile whose id its maker knows, and a key with
//     the name of a credential whose value they would like to have.
//   - A grant or link to a credential that the file doesn't hold points nowhere afterwards, even if
//     a credential here has that id.
//   - History is added, never changed. Executions stay out if their profile is here under another
//     id or was not taken.
//   - The audit log of another instance is kept beside this one's, not in it: a hash chain has one
//     author.
//
// # Restoring
//
// A restore is an import into a new database, with everything as the file says and the audit log in
// its place. It needs no choice, since nothing is there.
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
//
// # Memory
//
// Exports hold one row, imports one line and what the file arranges (credentials, profiles,
// policies), however long the history.
package transfer
