// Package remote is the part of the ssh backend that runs on the other machine. It opens boxes
// there with the bubblewrap backend, unchanged, and answers the contract's calls over its stdin and
// stdout. So what is proved, limited, measured and swept on a remote host is exactly what is on a
// local one.
//
//	airlock-remote serve --instance LABEL --guest FILE --sha256 HEX
//
// First it ends the remote programs of the same instance that a lost link may have left. Then it
// writes one line, "airlock-remote " and a Hello as JSON, and from then on both streams carry
// package heartbeat.
//
// It ends when its stdin does, when it has heard nothing for heartbeat.Silence, or when it gets a
// signal, whichever comes first. Every box dies with it, also when it is killed: the kernel ends
// the first process of each (see package bubblewrap).
package remote
