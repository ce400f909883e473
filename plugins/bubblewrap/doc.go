// Package bubblewrap runs boxes as bubblewrap sandboxes on the Linux host itself.
//
// # The chain
//
//	plugin ── clone(user, net, pid, mnt) ──▶ airlock-init netns ── exec ──▶
//	bwrap --args FD ── clone(user, pid, …) ──▶ /airlock-init
//
// The first step owns the network namespace: it brings loopback up and opens ports from 1 up, which
// bwrap's own --unshare-net can't do because it makes a second user namespace. It mounts a /proc of
// its pid namespace, where bwrap looks for its child. Root never gets into the chain: when Airlock
// is root, the first step already runs as a uid of its own, because the process limit isn't
// enforced against root and bwrap's mount set-up would be done with root's rights.
//
// What a script sees of its parents is empty: every step has an empty environment and bwrap takes
// its options from a pipe (its own PID 1 would otherwise show them in /proc/1/environ and
// /proc/1/cmdline). One variable is left that bwrap itself sets: PWD=/tmp.
//
// The pipe with the options is also the gate: bwrap reads it before it does anything else, and it's
// filled only after the process was put into its cgroup. So nothing of a box ever runs outside its
// limits, whatever the cgroup version, and no step has to wait for a signal.
//
// airlock-init is not a file on the host. It lives in one sealed memfd that all boxes share;
// /airlock-init is a link to that descriptor. No directory has to be made readable for a box, no
// host path shows in a box's mount table, and nothing is bound that somebody could have written to
// (bubblewrap before 0.12 follows links out of such directories while it sets up).
//
// # Templates
//
//	plugin ──▶ bwrap ──▶ template ── clone(user, net, pid, mnt, …) ──▶ PID 1 ── fork ──▶ interpreter
//	                        └──▶ airlock-init guests ◀── link ──────────┘
//
// A template (template.py) has capabilities in its own user namespace, one thread, no filter, and has
// met no profile. It reads requests of the plugin, and from its guests one message: the runner, which
// it loads before the next box. That is the only way from what serves boxes into the template, and it
// is taken before any script has begun. Each box is a fork without an exec: PID 1 (pid1.py), with a
// second fork beside it that becomes the script's interpreter. PID 1 has given up every capability, has
// the filter on, is non-dumpable and has one thread, so that the kernel spares it from signals. It
// holds a link to the guests, which a script can't reach, and no value of a profile ever.
//
// Modules that many scripts import are loaded in the template (imports.py), out of sight until a
// script imports them. The names come with each box (Spec.Imports); the template for a new list tries
// them and is started beside the one in use, as is each next one that loads some.
//
// What scripts write is read by one process for all boxes of a template instead of one in each. Its
// memory is bounded per box by the same counts as the engine's; its processor time is the host's and
// not the box's, as the plugin's is. It ends with its template and the template with it, and then
// boxes are opened afresh.
//
// # What a box contains
//
// The host's /usr, read-only, with /usr/local and /usr/src covered (they hold what people put
// there), the few files of /etc that Python and OpenSSL need (small ones as copies, since bubblewrap
// reads the whole mount table for each mount), own /proc and /dev without ptys, /tmp
// of the asked size and /dev/shm of half the memory. A runtime other than the host's is a directory with its
// own usr (setting "root", or Spec.Runtime).
//
// # Limits
//
// Where the backend can write to a cgroup (version 1 or 2), memory, processes and CPU are held
// there. Elsewhere memory is held by looking at the tree's processes and files many times a second
// ("polled"), processes by a resource limit, and CPU not at all. Kernel memory such as pipe and
// socket buffers escapes the polled limit; System V shared memory, memory files and shared memory
// without a file would too and are denied there, and so is /dev/zero, in whose place is /dev/full.
// Exit.PidsHit is a guess then: the limit was nearly reached. A box that runs out of memory is
// ended as a whole, on every variant. A box that keeps hammering at its process limit is ended too.
//
// # Ends
//
// A parent-death signal ties the first step to the plugin; since the kernel sends it when the
// *thread* that forked ends, all boxes are forked by one thread that lives as long as the process.
// The first step, bwrap after its exec, is PID 1 of a pid namespace around the box's own, and the
// kernel ends such a namespace with its PID 1. Signals alone would not do: bwrap's child waits for
// bwrap without one until just before it becomes the box's PID 1, and if bwrap was killed in that
// moment, it waited for ever. Run returns when bwrap is reaped, which is after every other process,
// and the cgroup is empty and removed. The cgroups of a plugin that was killed have nothing in
// them; they are named after it (package owner), and any plugin's next Check removes them.
//
// PID 1's exit code is what bwrap passes on. PID 1 of a pid namespace can't be killed from inside
// it, so a code of 128+n is taken for an exit code unless the backend or the kernel's memory limit
// killed the box.
//
// # Settings
//
//	bwrap      path of bwrap; the default is the first of /usr/bin, /usr/local/bin, /bin
//	root       directory whose usr becomes the box's; the default is /
//	usr_local  "true" shows /usr/local to scripts, for hosts that have Python there
//	limits     "auto" (default), "cgroup" (fail without one) or "polled"
//	cgroup     directory of a delegated cgroup (version 2) to make boxes in; the default is the plugin's own
//
// The runtime digest covers the Python version and dpkg's record of installed Python packages. It
// identifies what the package manager installed; files changed behind its back don't change the
// digest.
package bubblewrap
