// Package supervisor is the process that stands outside one box and holds it. It applies the
// ruleset, starts the guest inside, answers the calls that the box's filter hands over, looks after
// the limits, and ends everything when the guest or the backend ends.
//
//	plugin ── fork ─▶ supervisor ── one restricted thread forks ─▶ guest ── fork ─▶ interpreter …
//
// One thread of the supervisor enters the ruleset and installs the filter. The guest is forked from
// it and inherits both; the rest of the supervisor stays outside and owns the filter's listener. That
// thread ends at once: Landlock counts it among those inside, so the box could signal it, and with it
// the supervisor.
//
// The supervisor is ancestor and subreaper of all that runs in the box, so nothing gets out of its
// sight. No process or thread is made in the box without its leave, so what is being frozen or killed
// doesn't grow.
//
// # Connections
//
// No socket that the box made ever connects: a call of connect(2) is never let through. The
// supervisor copies the address, once, and decides by the copy. For loopback it makes a fresh pair
// of connected TCP sockets, offers one to the guest with the address, and puts the other in the place
// of the caller's socket. Options set before don't survive, the non-blocking and close-on-exec flags
// do. A thread that rewrites the address is too late.
//
// # Uids
//
// With a uid of the box's own the supervisor stays root and does what has to be done as the box's
// user (reading its memory, making and removing its directory) on threads whose file system uid is
// the box's: these can't be signalled from inside. Without one, Landlock's scope is all that keeps
// the supervisor from the box's signals, and the backend refuses kernels that don't have it.
//
// # Limits
//
// Memory and the private directory are looked at many times a second and the box is ended when it
// has too much; what it takes between two looks isn't prevented. Forks and threads beyond the limit
// are refused when they are asked for. Memory that no process shows is refused: memory files,
// shared memory without a file, descriptors that only one thread has. Removed files whose
// descriptors are on their way through a socket aren't seen.
package supervisor
