// Package backups makes .airlock files by a schedule, stores them, and proves each by restoring it.
//
// A backup counts once it was read back from its directory or bucket and restored into a scratch
// database. The storage is not trusted: bytes that differ from the written ones are never parsed.
// Only files that this instance made and verified push older ones out. The database records how
// each attempt ended, also failures and missed times.
//
// The settings also say where files and artifacts are kept: see FilesStorage.
package backups
