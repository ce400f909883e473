// Package transfer moves what an instance has into .airlock files and back: exports, imports and
// restores. Package content is what stands in them; package backups makes them by a schedule.
//
// # Importing
//
// A plan says of every credential, profile and skill in a file whether it is new here, the same, or
// different, and lists the fields that writing it would set. A person chooses; the import makes the
// same plan again inside its one write transaction, refuses if anything differs from what the person
// saw, and writes. Ids are sealed and hashed anew with this instance's key.
//
//   - What differs is written only with a yes to that one item. Whether a difference gives more or
//     less is the person's to judge: the fields of both sides are shown.
//   - A profile that is revoked here stays revoked, and a locked one stays locked with its keys,
//     whatever the person chooses.
//   - A new profile is linked to a credential that is here and differs from the file's only with
//     such a yes. Otherwise a file could carry a profile whose id its maker knows, and a key with
//     the name of a credential whose value they would like to have.
//   - A grant or link to a credential that the file doesn't hold points nowhere afterwards, even if
//     a credential here has that id.
//   - History is added, never changed. Executions stay out if their profile is here under another
//     id or was not taken.
//   - The audit log of another instance is kept beside this one's, not in it: a hash chain has one
//     author. Where it goes on otherwise than what was kept before, the rest is left out.
//
// # Restoring
//
// A restore is an import into a new database, with everything as the file says and the audit log in
// its place. It needs no choice, since nothing is there. A restore that replaces a later state of the
// same database keeps that one's people and settings, and what was revoked or deleted there stays so,
// by id; so does a skill that was switched off or disallowed. Hosts, modes and values are as old as the
// copy: whoever restores is told its time.
//
// # Memory
//
// Exports hold one row, imports one line and what the file arranges (credentials, profiles,
// policies), however long the history.
package transfer
