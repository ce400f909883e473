// Airlock-init is PID 1 of every box. It speaks package wire on stdin and stdout, runs the Python
// runner as its child, relays output, questions and connections, and ends when its stdin does.
//
// It holds no policy: what it refuses, it refuses as a courtesy, so that a script gets its answer
// early; the engine decides again. The script runs beside it as the same user and is assumed to
// attack it. So it is non-dumpable (its memory, environment and descriptors are closed to the
// script), it takes no signal seriously, and all that the script can reach is a socketpair that
// accepts five kinds of message, two pipes, and loopback sockets.
//
// Before the interpreter starts it writes the box's CA bundle (the runtime's own roots and the
// certificates of the boot message) to one file in /tmp and names it in the environment. The runner
// could do that too, but later than the first module that reads the roots.
//
//	airlock-init                                          the guest, as PID 1
//	airlock-init netns [--rlimit NAME=N]… -- CMD ARGS…    prepares fresh namespaces (network, pid), then becomes CMD
//	airlock-init template                                 prepares a template and becomes its interpreter
package main
