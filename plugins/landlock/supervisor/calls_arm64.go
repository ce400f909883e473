package supervisor

// Calls that this architecture doesn't have; no call has these numbers.
const (
	sysFork  = -1
	sysVfork = -2
	sysChmod = -3
)
