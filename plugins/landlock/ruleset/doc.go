// Package ruleset restricts a thread by Landlock: which files it and its later children may open,
// and which processes they may signal.
//
// Landlock restricts the calling thread only. So the caller holds the thread (runtime.LockOSThread)
// and starts the restricted process from it. It needs no privilege, but a thread can't leave: it
// has to end (OnThrowawayThread).
//
// Landlock ignores stat, chdir, access, readlink, and changes of mode, owner, times and extended
// attributes. Where the uid would allow changes, something else must prevent them.
package ruleset
