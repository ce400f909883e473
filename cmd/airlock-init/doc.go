// Airlock-init is the first process of every box that was opened afresh. It is PID 1, except under
// landlock, whose boxes have no pid namespace. It speaks package wire on stdin and stdout, runs the
// Python runner as its child, relays output, questions and connections, and ends when its stdin does.
//
// It holds no policy: what it refuses, it refuses early as a courtesy, and the engine decides again.
// The script runs beside it as the same user and is assumed to attack it. So its memory, environment
// and descriptors are closed to the script, which reaches only a socketpair with five kinds of
// message, two pipes, and loopback sockets. As PID 1 it is non-dumpable; under landlock, where the
// supervisor has to see its memory, a ruleset between the two closes it.
//
// Before the interpreter starts it writes the box's CA bundle to one file in /tmp and names it in the
// environment. The runner could do that only after the first module that reads the roots.
//
// One process serves all boxes that were forked from a template, from outside, with the same code:
// type box has what differs. Their PID 1 is a fork of the template (pid1.py of package bubblewrap),
// which reaps, sends signals, makes sockets and files, and hands the sockets over. That process holds
// values of several boxes and reads what they write, as plugin and engine do. It runs in the
// template's sandbox without capabilities, with the boxes' filter and a uid of its own, and shares no
// process, descriptor or namespace with a box.
//
//	airlock-init                                          the guest, as PID 1
//	airlock-init netns [--rlimit NAME=N]… -- CMD ARGS…    prepares fresh namespaces (network, pid), then becomes CMD
//	airlock-init template                                 prepares a template and becomes its interpreter
//	airlock-init guests                                   serves the boxes of a template
//	airlock-init supervisor                               holds a box of landlock from outside
//	airlock-init supervised                               the guest of such a box
//	airlock-init receive-files, send-artifacts            moves files of such a box, in it
package main
