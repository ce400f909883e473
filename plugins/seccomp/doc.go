// Package seccomp builds the system call filter of every box, for all backends.
//
// It lists denied calls: namespaces already hide the host, and lists of allowed calls break with
// every new libc. Three rules keep it safe. Calls newer than the newest reviewed one answer ENOSYS.
// A foreign instruction set ends the process. Everything that could make a socket, a namespace or a
// mount behind the other walls is denied. An empty network namespace doesn't hold AF_VSOCK,
// io_uring opens sockets past any filter, and all processes of a uid share keyring and inotify
// budgets: all of them are closed.
//
// File locks stay open, because SQLite and many libraries need them. Two boxes can thus signal each
// other through locks on a shared read-only file.
//
// The package has no cgo and knows amd64 and arm64.
package seccomp
