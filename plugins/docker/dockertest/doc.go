// Package dockertest starts Docker engines for tests. Each has its own data, socket and mount
// namespace, and no networks. Images come from this host's packages, so no registry is needed. It
// needs root and Debian's docker.io.
package dockertest
