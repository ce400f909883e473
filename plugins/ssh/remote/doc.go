// Package remote is the part of the ssh backend that runs on the other machine. It opens boxes
// there with the unchanged bubblewrap backend, and answers the contract's calls over its stdin and
// stdout. So proofs, limits, measurements and sweeps are those of a local host.
//
//	airlock-remote serve --instance LABEL --guest FILE
//
// First it ends remote programs of the same instance, which a lost link may have left. Then it
// writes one line, "airlock-remote " and a Hello as JSON. From then on both streams carry
// plugins.ServeConn.
//
// It ends at the end of its stdin, after seven seconds without a byte, or at a signal. Every box
// ends with it, also when it is killed: the kernel ends the first process of each (see package
// bubblewrap).
package remote
