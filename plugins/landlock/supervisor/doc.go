// Package supervisor is the process that stands outside one box and controls it. It applies the
// ruleset, starts the guest inside, answers the calls that the box's filter hands over, enforces
// the limits, and ends everything when the guest or the backend ends.
//
//	plugin ── fork ─▶ supervisor ── one restricted thread forks ─▶ guest ── fork ─▶ interpreter …
//
// One thread of the supervisor enters the ruleset and installs the filter. The guest is forked from
// it and inherits both; the rest of the supervisor stays outside and owns the filter's listener.
// That thread ends at once: Landlock counts it as inside, so the box could signal it, and with it
// the supervisor.
//
// The supervisor is ancestor and subreaper of everything in the box, and sees all of it. Each new
// process or thread needs its permission, so a box doesn't grow while it is frozen or killed.
//
// # Connections
//
// No call of connect(2) is let through, so the box's own sockets never connect. The supervisor
// copies the address once and decides by the copy; a thread that rewrites it is too late. For
// loopback it makes a pair of connected TCP sockets, offers one to the guest with the address, and
// replaces the caller's socket by the other. Earlier options are lost; the non-blocking and
// close-on-exec flags are kept.
//
// # Uids
//
// With a uid per box the supervisor stays root. It works as the box's user (reading its memory,
// making and removing its directory) on threads whose file system uid is the box's: these can't be
// signalled from inside. Without one, only Landlock's scope protects the supervisor from the box's
// signals, and the backend refuses kernels without it.
//
// # Limits
//
// The supervisor looks at memory and the private directory many times a second and ends a box over
// its limit; overshoot between two looks isn't prevented. Forks and threads beyond the limit are
// refused. So is memory that no process shows: memory files, shared memory without a file,
// descriptors that only one thread has. Removed files whose descriptors are in flight through a
// socket aren't seen.
package supervisor
