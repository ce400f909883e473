// Package backups makes .airlock files by a schedule, keeps them in a directory or bucket, and
// proves each by restoring it.
//
// A backup counts once it was read back from its storage and restored into a scratch database. The
// storage is not trusted: no byte of it is looked at that differs from what was written, and only
// files that this instance made and verified push older ones out. How an attempt ended is recorded
// in the database, also a failure and a time that was missed.
//
// The settings also say where files and artifacts are kept: see FilesStorage.
package backups
