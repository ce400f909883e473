// Package dockertest starts Docker engines of the tests' own: own data, own socket, no networks, in
// a mount namespace of their own. Images come from this host's packages, so no registry is needed.
// It needs root and Debian's docker.io.
package dockertest
