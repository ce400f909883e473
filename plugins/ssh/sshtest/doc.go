// Package sshtest is a machine to run the ssh backend's tests against: a real OpenSSH server in a
// network namespace of its own, with an address, keys and an account that exist nowhere else,
// behind a link that can be cut.
//
// It changes mounts and links, so the test has to run in network and mount namespaces of its own,
// with the rights of root in them.
package sshtest
