// Package docker runs boxes as containers of a Docker engine, on this host or another.
//
// # How airlock-init gets in
//
// Nothing of any host is mounted. Check resolves the operator's image to its id, makes a container
// of it that never starts, uploads airlock-init and the files that say who a script is, and commits.
// The resulting image is found again by a hash over what it was made from.
//
// # A box
//
// One container per box: created, attached to, started, removed. Its PID 1 is airlock-init, without
// a terminal; stdin is once-only, so the end of our connection is the end of the guest. The image's
// own user, environment, entrypoint, working directory and health check are overridden. An image
// with volumes is refused, because the API can't take them away.
//
// Empty read-only mounts replace the engine's /sys, cgroups, terminals and message queues. /tmp has
// to exist in the image with the right mode, which runc gives to the mount.
//
// The filter of system calls is that of package seccomp, as an engine's profile. Only the cgroup
// limits processes: a resource limit counts per uid, and all boxes have the same.
//
// # What is asked of the engine
//
// Containers, images and commit; a socket proxy may refuse the rest. Versions are learnt from the
// headers of an ordinary answer. Where the stream of out-of-memory events is refused, a box whose
// child the kernel ended lives until its guest ends; airlock-init asks to be the kernel's first
// choice, so that is rare.
//
// # Ends
//
// The end of a container's output is the end of the box. Then the engine is asked how: by a wait,
// and an inspection, which knows whether memory ran out. Automatic removal would take that knowledge
// away. Run returns and the record is removed after it, since that takes longest; a box that was
// killed is removed first. Removal is tried again in the background while the engine doesn't answer.
// The next Check sweeps by label what a killed process left.
//
// Counters are gone with the container. They are read from this host's control groups, or from an
// engine elsewhere in up to half a second: soon after the start and after input, rarely in between,
// at the end of input, and before a kill. Exit.PeakMemory and Exit.CPUTime are what was seen.
// An engine elsewhere doesn't tell of refused forks: Exit.PidsHit is a guess then, and ends no box.
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
