// Airlock-init is the first process of every box that was opened afresh. It is PID 1, except under
// landlock, whose boxes have no pid namespace. It speaks package wire on stdin and stdout, runs the
// Python runner as its child, and relays output, questions and connections. It ends when its stdin
// does.
//
// It holds no policy: it refuses early as a courtesy, and the engine decides again. The script runs
// as the same user and is assumed to attack it. So its memory, environment and descriptors are
// closed to the script. The script reaches only a socketpair with five kinds of message, two pipes,
// and loopback sockets. As PID 1 it is non-dumpable; under landlock, whose supervisor must see its
// memory, a ruleset closes it.
//
// Before the interpreter starts it writes the box's CA bundle to /tmp and names it in the
// environment: the first imported module may read the roots.
//
// One process serves all boxes of a template from outside; type box has the differences. Their PID
// 1 is a fork of the template (pid1.py of package bubblewrap). It reaps, signals, makes sockets and
// files, and hands the sockets over. The serving process holds values of several boxes and reads
// their output, as plugin and engine do. It is in the template's sandbox, without capabilities,
// with the boxes' filter and its own uid. It shares no process, descriptor or namespace with a box.
//
//	airlock-init                                          the guest, as PID 1
//	airlock-init netns [--rlimit NAME=N]… -- CMD ARGS…    prepares fresh namespaces (network, pid), then becomes CMD
//	airlock-init template                                 prepares a template and becomes its interpreter
//	airlock-init guests                                   serves the boxes of a template
//	airlock-init supervisor                               holds a box of landlock from outside
//	airlock-init supervised                               the guest of such a box
//	airlock-init receive-files, send-artifacts            moves files of such a box, in it
package main
