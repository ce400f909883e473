// Package landlock runs boxes that need neither namespaces nor capabilities, as in stock
// containers.
//
// # The chain
//
//	plugin ── fork ─▶ supervisor ── a restricted thread forks ─▶ /airlock-init supervised ── fork ─▶ interpreter
//
// Each box has a supervisor (package supervisor) outside of it. It applies Landlock's ruleset and
// the system call filter, answers the calls that the filter hands over, holds the limits, freezes,
// and ends the box. The interpreter is one ruleset further in than the guest, so a script can't
// signal its guest. Guest and supervisor talk by package fdlink.
//
// # Uids
//
// As root with the capabilities SETUID, SETGID and KILL, a container's default, each box gets a uid
// of its own. Any version of Landlock suffices then: before version 3, the filter refuses
// truncation by path. Otherwise boxes share Airlock's uid. Landlock has to keep signals in, which
// takes version 6 (Linux 6.12). The filter denies calls between processes of one uid: limits,
// priorities and affinity, System V IPC, message queues, and metadata by path. Check refuses
// anything else and says what to do.
//
// # What differs from a box with namespaces
//
// The tier is restricted. Scripts have a directory of their own as working directory, HOME and
// TMPDIR instead of /tmp. /proc except a few files about the machine, /dev/shm and /etc/passwd are
// closed, so multiprocessing's locks and pools don't work. Nothing can listen, no datagram can be
// sent, and Unix sockets come in pairs only. Scripts can find out the host's name and its files'
// names and sizes, but no content.
//
// # Limits
//
// The supervisor looks at memory and the private directory ("polled") 40 and 10 times a second, and
// once a second while a box waits or is frozen. It ends a box over its limit; overshoot between two
// looks isn't prevented. Resource limits bound a file and descriptors ("rlimit"). Forks and threads
// beyond the limit are refused exactly ("seccomp"). Processor time isn't limited; boxes have a
// lower priority than Airlock. Files in flight between processes aren't counted; boxes end when the
// disk is nearly full.
//
// # Ends
//
// The supervisor ends with the plugin (a pipe), and ends the box before. After a supervisor's crash
// the plugin, as the next subreaper, gets the box's processes. They can't fork without the
// supervisor, so a round or two over the descendants finds all. Directories are named after the
// plugin (package owner); any plugin's next Check removes those of dead ones.
//
// # Settings
//
//	tmp        directory that boxes' private directories are made in;
//	           /tmp by default, or the state directory where that can't be written
//	usr_local  "true" lets scripts read /usr/local, for images that have Python there
package landlock
