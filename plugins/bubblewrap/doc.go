// Package bubblewrap runs boxes as bubblewrap sandboxes on the Linux host itself.
//
// # The chain
//
//	plugin ── clone(user, net, pid, mnt) ──▶ airlock-init netns ── exec ──▶
//	bwrap --args FD ── clone(user, pid, …) ──▶ /airlock-init
//
// The first step owns the network namespace. It brings loopback up and opens ports from 1 up.
// bwrap's --unshare-net can't, because it makes a second user namespace. It mounts a /proc of its
// pid namespace, where bwrap looks for its child. Under a root Airlock it runs as a uid of its own:
// the kernel doesn't enforce the process limit against root.
//
// A script sees nothing of its parents. Every step has an empty environment, except for bwrap's own
// PWD=/tmp. bwrap takes its options from a pipe, which is filled only after the process is in its
// cgroup. So nothing of a box ever runs outside its limits.
//
// airlock-init is one sealed memfd, shared by all boxes. No host path shows in a box's mount table,
// and nothing is bound that others can write to (bubblewrap before 0.12 follows links out of such
// directories).
//
// # Templates
//
//	plugin ──▶ bwrap ──▶ template ── clone(user, net, pid, mnt, …) ──▶ PID 1 ── fork ──▶ interpreter
//	                        └──▶ airlock-init guests ◀── link ──────────┘
//
// A template (template.py) has capabilities in its own user namespace, one thread and no filter,
// and no profile's data ever reaches it. It reads requests of the plugin, and one message of its
// guests before any script begins: the runner. Each box is a fork without an exec: PID 1 (pid1.py),
// and a second fork that becomes the script's interpreter. PID 1 has no capability, the filter on,
// one thread and is non-dumpable. It holds a link to the guests, which a script can't reach, and no
// profile's value.
//
// The template loads modules that many scripts import (Spec.Imports, imports.py), hidden until a
// script imports them. The template for a new list starts beside the one in use.
//
// One process reads the output of all boxes of a template. The engine's counts bound its memory per
// box; the host pays for its processor time. It ends with its template, and the template with it.
// Then boxes open afresh.
//
// # What a box contains
//
// The host's /usr, read-only, without /usr/local and /usr/src, where people put their own files;
// the few files of /etc that Python and OpenSSL need; own /proc and /dev without ptys; /tmp of the
// asked size and /dev/shm of half the memory.
//
// # Limits
//
// A writable cgroup (version 1 or 2) limits memory, processes and CPU. Without one, polling limits
// memory, a resource limit processes, and nothing CPU. Polling misses kernel memory such as pipe
// and socket buffers. System V shared memory, memory files, shared memory without a file and
// /dev/zero are denied there, and Exit.PidsHit is a guess. A box that runs out of memory, or
// hammers at its process limit, ends as a whole.
//
// # Ends
//
// A parent-death signal ties the first step to the plugin. The kernel sends it when the *thread*
// that forked ends, so one thread forks all boxes. The first step, later bwrap, is PID 1 of a pid
// namespace around the box's own, which ends with it. bwrap's child has no such signal until just
// before it becomes the box's PID 1. Run returns after every process of the box has ended and the
// cgroup is removed. Cgroups of a killed plugin are empty and named after it (package owner); any
// plugin's next Check removes them.
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
package bubblewrap
