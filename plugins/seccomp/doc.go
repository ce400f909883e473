// Package seccomp builds the system call filter that every box runs under, whatever the backend.
//
// It is a list of what is denied, not of what is allowed: namespaces already hide the host, and
// lists of allowed calls break with every new libc. Three things keep the list honest: calls newer
// than the newest one reviewed here answer ENOSYS, so a kernel can't open a door nobody looked at;
// a foreign instruction set ends the process; and everything that could make a socket, a namespace
// or a mount behind the other walls is named. An empty network namespace doesn't hold AF_VSOCK,
// io_uring opens sockets past any filter, and the keyring and inotify budgets are shared by
// everybody with the same uid: all of them are closed.
//
// File locks stay open, because SQLite and many libraries need them; two boxes can thus signal each
// other through locks on the same read-only file.
//
// The package has no cgo and knows amd64 and arm64.
package seccomp
