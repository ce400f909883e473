// Package docker runs boxes as containers of a Docker engine, on this host or another.
//
// # How airlock-init gets in
//
// No host's files are mounted. Check resolves the operator's image to its id, makes a container of
// it that never starts, uploads airlock-init and a script's account files, and commits. A hash over
// these inputs identifies the resulting image.
//
// # A box
//
// One container per box: created, attached to, started, removed. Its PID 1 is airlock-init, without
// a terminal. Its stdin is once-only, so the guest ends with our connection. The image's own user,
// environment, entrypoint, working directory and health check are overridden. An image with volumes
// is refused, because the API can't remove them.
//
// Empty read-only mounts replace the engine's /sys, cgroups, terminals and message queues. The
// image must have a /tmp with the right mode, which runc gives to the mount.
//
// Package seccomp provides the filter of system calls, as an engine's profile. Only the cgroup
// limits processes: a resource limit counts per uid, and all boxes have the same.
//
// # Required calls
//
// Ping, containers, images and commit; a socket proxy may refuse the rest.
//
// # Ends
//
// The end of a container's output is the end of the box. A wait and an inspection then tell how it
// ended and whether memory ran out; automatic removal would lose that. Run returns before the
// record of an ended box is removed, and after the removal of a killed one. Removal is retried in
// the background while the engine doesn't answer. The next Check sweeps by label after a crash.
//
// Counters are gone with the container. They are read from this host's control groups, where memory
// that ran out ends the box. An engine elsewhere is asked (up to half a second) after the start, ever
// more rarely, at the end of input, and before a kill; it tells of memory at the box's end.
// Exit.PeakMemory and Exit.CPUTime are the last values seen. An engine elsewhere doesn't count refused
// forks: Exit.PidsHit is a guess then, and ends no box.
//
// # Settings
//
//	image      images that boxes may run, with commas; the first is the default
//	host       unix:///path or tcp://name:port; the default is the local engine's socket, or the rootless one's
//	cert_path  directory of ca.pem, cert.pem and key.pem for tcp
//	plain_tcp  "true" admits tcp without TLS to other hosts
//	runtime    a runtime that the engine knows, such as runsc
//	tmp_exec   "true" lets programs run from /tmp
package docker
