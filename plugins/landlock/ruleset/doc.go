// Package ruleset restricts a thread by Landlock: what it and its later children may open, and whom
// they may signal.
//
// Landlock restricts the calling thread only, so whoever calls it holds the thread
// (runtime.LockOSThread) and starts the restricted process from it. It needs no privilege but gives
// none back: a thread that entered stays in, and has to end (OnThrowawayThread).
//
// Not everything that names a file is looked at: stat, chdir, access, readlink, and changes of
// mode, owner, times and extended attributes are not. Those that change something have to be kept
// away by other means where the uid would allow them.
package ruleset
