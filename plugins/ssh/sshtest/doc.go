// Package sshtest provides a machine for the ssh backend's tests. It is a real OpenSSH server in
// its own network namespace, with its own address, keys and account, behind a link that can be cut.
//
// It changes mounts and links, so the test needs its own network and mount namespaces, with root's
// rights in them.
package sshtest
