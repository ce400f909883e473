package supervisor

import "golang.org/x/sys/unix"

// Calls that only this architecture has.
const (
	sysFork  = unix.SYS_FORK
	sysVfork = unix.SYS_VFORK
	sysChmod = unix.SYS_CHMOD
)
