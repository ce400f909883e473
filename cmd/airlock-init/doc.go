// Airlock-init is the first process of every box that was opened afresh: PID 1, except under
// landlock, whose boxes have no pid namespace. It speaks package wire on stdin and stdout, runs the
// Python runner as its child, relays output, questions and connections, and ends when its stdin does.
//
// It holds no policy: what it refuses, it refuses as a courtesy, so that a script gets its answer
// early; the engine decides again. The script runs beside it as the same user and is assumed to
// attack it. So its memory, environment and descriptors are closed to the script, it takes no signal
// seriously, and all that the script can reach is a socketpair that accepts five kinds of message, two
// pipes, and loopback sockets. As PID 1 it is non-dumpable; under landlock, where the supervisor has to
// see its memory, a ruleset between the two closes it.
//
// Before the interpreter starts it writes the box's CA bundle (the runtime's own roots and the
// certificates of the boot message) to one file in /tmp and names it in the environment. The runner
// could do that too, but later than the first module that reads the roots.
//
// Boxes that were forked from a template have no start of this program. One process serves all of
// them from outside, with the same code: type box has what differs. Their PID 1 is a fork of the
// template (pid1.py of package bubblewrap), which reaps, sends signals, makes sockets and files, and
// hands the sockets over. So the text of a profile's values is in that process for several boxes at a
// time, as it is in the plugin and the engine; it reads what they write, as the engine does. It runs
// in the template's sandbox without capabilities, with the boxes' filter and a uid of its own. No box
// has a process, descriptor or namespace in common with it: connections come to it as sockets.
//
//	airlock-init                                          the guest, as PID 1
//	airlock-init netns [--rlimit NAME=N]… -- CMD ARGS…    prepares fresh namespaces (network, pid), then becomes CMD
//	airlock-init template                                 prepares a template and becomes its interpreter
//	airlock-init guests                                   serves the boxes of a template
//	airlock-init supervisor                               holds a box of landlock from outside
//	airlock-init supervised                               the guest of such a box
//	airlock-init receive-files, send-artifacts            moves files of such a box, in it
package main
