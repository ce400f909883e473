// Package docker runs boxes as containers of a Docker engine, on this host or another.
//
// # How airlock-init gets in
//
// Nothing of any host is mounted. The operator's image is resolved to its id once, at Check; a
// container is made of it and never started, airlock-init and a few files that say who a script is
// are uploaded into it, and it's committed. Boxes run the resulting image, which is found again by
// a hash over what it was made from and made anew when somebody removed it.
//
// # A box
//
// One container per box: created, attached to, started, removed. Its PID 1 is airlock-init, without
// a terminal; stdin is once-only, so that the end of our connection, for whatever reason, is the
// end of the guest's input and so of the guest. What the image asks for itself is overridden: user,
// environment, entrypoint, working directory, health check. An image with volumes is refused,
// because the API can't take them away.
//
// The engine's own mounts of /sys, of cgroups, terminals and message queues are replaced by empty
// read-only ones: mounts of ours at the same places take precedence. /tmp has to exist in the image
// with the right mode, which runc gives to the mount.
//
// The filter of system calls is the one of package seccomp, as an engine's profile. Processes are
// limited by the cgroup alone: a resource limit counts per uid, and all boxes have the same.
//
// # What is asked of the engine
//
// Containers, images and commit; nothing else is needed, so a socket proxy may refuse the rest.
// Versions are learnt from the headers of an ordinary answer instead of /_ping. The one thing asked
// for beyond is the stream of out-of-memory events. Where it's refused, a box whose child was ended
// by the kernel lives until its guest ends; airlock-init asks to be the kernel's first choice, so
// that is rare.
//
// # Ends
//
// The end of a container's output is the end of the box. Only then is the engine asked how: by a
// wait, which returns once it has recorded the end, and an inspection, which knows whether memory
// ran out. The automatic removal of engines is not used, because it takes that knowledge away. Then
// nothing runs in the container, and it is removed after Run has returned: to remove a record
// takes an engine longer than the rest. One that was killed is removed first. A container that
// can't be removed since the engine doesn't answer is tried again in the background, and whatever a
// killed process left is swept by label at Check: of the same instance all of it, of others on this
// machine what the process that the label names has left by its death.
//
// Counters are gone with the container. They are read from this host's control groups where the
// engine runs here, else asked for, which takes it up to half a second. They are sampled: soon
// after the start and after input, rarely in between, at the end of input, which is when a session
// is over, and before a kill. Exit.PeakMemory and Exit.CPUTime are what was seen; Exit.PidsHit is a
// guess where the engine is elsewhere, since it doesn't tell of refused forks, and for the same
// reason no box is ended for them.
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
