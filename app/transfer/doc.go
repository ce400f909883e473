// Package transfer exports, imports and restores .airlock files. Package content defines their
// lines; package backups makes them by a schedule.
//
// # Importing
//
// A plan says of every credential, profile and skill in a file whether it is new here, the same, or
// different, and lists the fields that an import would set. A person chooses. The import repeats
// the plan inside its write transaction and refuses if it differs. Ids are sealed and hashed anew
// with this instance's key. History is read to its end for a plan, and judged when it is written.
//
//   - Each difference needs its own yes. The fields of both sides are shown, for the person to judge.
//   - A profile that is revoked here stays revoked, and a locked one stays locked with its keys,
//     whatever the person chooses.
//   - Linking a new profile to a credential here that differs from the file's needs such a yes.
//     Otherwise a file's maker could get at its value by a profile whose id they know.
//   - A grant or link to a credential outside the file points nowhere afterwards, even if a
//     credential here has that id.
//   - History is added, never changed. Executions stay out if their profile is here under another
//     id or was not taken.
//   - The audit log of another instance is kept beside this one's: a hash chain has one author.
//     Where it diverges from the kept part, the rest is left out.
//
// # Restoring
//
// A restore is an import of everything into a new database, with the audit log in its place. If it
// replaces a later state of the same database, that one's people and settings stay, and so do its
// revocations and deletions, by id. Hosts, modes and values are as old as the copy: the person is
// told its time.
//
// # Memory
//
// Exports hold one row, imports one line and the file's credentials, profiles and policies, however
// long the history.
package transfer
