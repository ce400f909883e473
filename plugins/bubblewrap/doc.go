// Package bubblewrap runs boxes as bubblewrap sandboxes on the Linux host itself.
//
// # The chain
//
//	plugin ── clone(user, net, pid, mnt) ──▶ airlock-init netns ── exec ──▶
//	bwrap --args FD ── clone(user, pid, …) ──▶ /airlock-init
//
// The first step owns the network namespace: it brings loopback up and opens ports from 1 up, which
// bwrap's --unshare-net can't do because it makes a second user namespace. It mounts a /proc of its
// pid namespace, where bwrap looks for its child. Root never gets into the chain: the process limit
// isn't enforced against root, so the first step of a root Airlock runs as a uid of its own.
//
// A script sees nothing of its parents: every step has an empty environment, but for bwrap's own
// PWD=/tmp, and bwrap takes its options from a pipe. That pipe is also the gate: it is filled only
// after the process was put into its cgroup, so nothing of a box ever runs outside its limits.
//
// airlock-init is no file on the host but one sealed memfd, shared by all boxes. No host path shows
// in a box's mount table, and nothing is bound that somebody could have written to (bubblewrap
// before 0.12 follows links out of such directories).
//
// # Templates
//
//	plugin ──▶ bwrap ──▶ template ── clone(user, net, pid, mnt, …) ──▶ PID 1 ── fork ──▶ interpreter
//	                        └──▶ airlock-init guests ◀── link ──────────┘
//
// A template (template.py) has capabilities in its own user namespace, one thread, no filter, and has
// met no profile. It reads requests of the plugin, and from its guests one message: the runner, which
// it loads before the next box. That is taken before any script has begun. Each box is a fork without
// an exec: PID 1 (pid1.py), with a second fork beside it that becomes the script's interpreter. PID 1
// has no capability, has the filter on, is non-dumpable and has one thread, so that the kernel spares
// it from signals. It holds a link to the guests, which a script can't reach, and no profile's value.
//
// Modules that many scripts import (Spec.Imports) are loaded in the template (imports.py), out of
// sight until a script imports them. The template for a new list starts beside the one in use.
//
// One process reads what scripts write in all boxes of a template. Its memory is bounded per box by
// the engine's counts; its processor time is the host's. It ends with its template and the template
// with it, and then boxes are opened afresh.
//
// # What a box contains
//
// The host's /usr, read-only, without /usr/local and /usr/src, which hold what people put there; the
// few files of /etc that Python and OpenSSL need; own /proc and /dev without ptys, /tmp of the asked
// size and /dev/shm of half the memory. Another runtime is a directory with its own usr.
//
// # Limits
//
// A writable cgroup (version 1 or 2) holds memory, processes and CPU. Elsewhere memory is held by
// looking at processes and files many times a second ("polled"), processes by a resource limit, and
// CPU not at all. Kernel memory such as pipe and socket buffers escapes polling. System V shared
// memory, memory files, shared memory without a file and /dev/zero would too and are denied there,
// and Exit.PidsHit is a guess. A box that runs out of memory, or hammers at its process limit, ends
// as a whole.
//
// # Ends
//
// A parent-death signal ties the first step to the plugin. The kernel sends it when the *thread*
// that forked ends, so one thread that lives as long as the process forks all boxes. The first step,
// later bwrap, is PID 1 of a pid namespace around the box's own, which ends with it. A signal alone
// would not do: bwrap's child waits without one until just before it becomes the box's PID 1. Run
// returns when bwrap is reaped, after every other process, and the cgroup is removed. Cgroups of a
// killed plugin are empty and named after it (package owner); any plugin's next Check removes them.
//
// bwrap passes on PID 1's exit code. PID 1 can't be killed from inside, so 128+n is an exit code
// unless the backend or the kernel's memory limit killed the box.
//
// # Settings
//
//	bwrap      path of bwrap; the default is the first of /usr/bin, /usr/local/bin, /bin
//	root       directory whose usr becomes the box's; the default is /
//	usr_local  "true" shows /usr/local to scripts, for hosts that have Python there
//	limits     "auto" (default), "cgroup" (fail without one) or "polled"
//	cgroup     directory of a delegated cgroup (version 2) to make boxes in; the default is the plugin's own
//
// The runtime digest covers the Python version and dpkg's record of installed Python packages, not
// files changed behind the package manager's back.
package bubblewrap
