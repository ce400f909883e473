// Package landlock runs boxes that need neither namespaces nor capabilities: in a stock container,
// on hosts that give nothing away.
//
// # The chain
//
//	plugin ── fork ─▶ supervisor ── a restricted thread forks ─▶ /airlock-init supervised ── fork ─▶ interpreter
//
// Each box has a supervisor (package supervisor), which stands outside of it: it applies Landlock's
// ruleset and the system call filter, answers the calls that the filter hands over, holds the
// limits, freezes, and ends the box. The guest is inside; the interpreter one ruleset further in,
// so that a script can't signal its guest. What guest and supervisor say to each other is package
// fdpass.
//
// # Uids
//
// As root with the capabilities SETUID, SETGID and KILL, which containers have by default, each box
// gets a uid of its own, and any version of Landlock does: before version 3, which looks at
// truncation, the filter refuses it by path. As any other user boxes share Airlock's uid; then
// Landlock itself has to keep signals in, which takes version 6 (Linux 6.12), and calls that the
// kernel would allow between processes of one uid are denied by the filter: other processes'
// limits, priorities and affinity, System V IPC, message queues, and changes of files' metadata by
// path, which Landlock doesn't look at. Anything else is refused, with what to do about it.
//
// # What differs from a box with namespaces
//
// The restricted tier. /tmp isn't the box's: scripts have a directory of their own, which is their
// working directory, HOME and TMPDIR. /proc is closed but for a few files about the machine,
// /dev/shm and /etc/passwd are closed, so multiprocessing's locks and pools don't work. Nothing can
// listen, no datagram can be sent, Unix sockets come in pairs only. Names and sizes of the host's
// files can be found out (stat isn't restricted), and so can its host name, but no content.
//
// # Limits
//
// Memory ("polled") and the private directory ("polled") are looked at by the supervisor 40 and 10
// times a second; a box that has too much is ended, and what it takes between two looks isn't
// prevented. A box that waits for its script, or is frozen, is looked at once a second. A single
// file is bounded by a resource limit, as are descriptors ("rlimit"). Forks and threads beyond the
// limit are refused exactly, when they are asked for ("seccomp"). Processor time isn't limited;
// boxes have a lower priority than Airlock. Nobody's files are counted that are in flight between
// processes; what guards the disk against those is that boxes are ended when it is nearly full.
//
// # Ends
//
// Directories are named after the plugin (package owner), and any plugin's next Check removes those
// of dead ones. The supervisor ends with the plugin (a pipe), and ends the box before. A supervisor
// that is killed leaves its box to the plugin, which is the next subreaper. Nothing in a box makes
// a process without the supervisor's leave, so walking the descendants finds everything after a
// round or two.
//
// # Settings
//
//	tmp        directory that boxes' private directories are made in;
//	           /tmp by default, or the state directory where that can't be written
//	usr_local  "true" lets scripts read /usr/local, for images that have Python there
package landlock
