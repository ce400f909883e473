package seccomp

// sharedCalls lists calls that reach what everybody with the same uid or namespaces shares.
func sharedCalls() []call {
	return []call{
		{"bind", 49, 200},
		{"listen", 50, 201},
		{"shmget", 29, 194},
		{"shmat", 30, 196},
		{"shmctl", 31, 195},
		{"semget", 64, 190},
		{"semop", 65, 193},
		{"semctl", 66, 191},
		{"semtimedop", 220, 192},
		{"msgget", 68, 186},
		{"msgsnd", 69, 189},
		{"msgrcv", 70, 188},
		{"msgctl", 71, 187},
		{"mq_unlink", 241, 181},
		{"process_mrelease", 448, 448},
		{"map_shadow_stack", 453, 453},
	}
}

// metadata lists calls that change a file's mode or times, which Landlock ignores. Its owner needs
// only a read-only descriptor.
func metadata() []call {
	return []call{
		{"fchmod", 91, 52},
		{"chmod", 90, none},
		{"fchmodat", 268, 53},
		{"fchmodat2", 452, 452},
		{"utimensat", 280, 88},
	}
}

// dispensable lists related calls that libraries do without. Owners can't be changed anyway; the
// rest is outdated or has a fallback.
func dispensable() []call {
	return []call{
		{"chown", 92, none},
		{"lchown", 94, none},
		{"fchown", 93, 55},
		{"fchownat", 260, 54},
		{"utime", 132, none},
		{"utimes", 235, none},
		{"futimesat", 261, none},
		{"setxattr", 188, 5},
		{"lsetxattr", 189, 6},
		{"fsetxattr", 190, 7},
		{"removexattr", 197, 14},
		{"lremovexattr", 198, 15},
		{"fremovexattr", 199, 16},
	}
}

// Calls that a supervisor answers, or whose arguments decide.
func callConnect() call      { return call{"connect", 42, 203} }
func callFork() call         { return call{"fork", 57, none} }
func callVfork() call        { return call{"vfork", 58, none} }
func callSendto() call       { return call{"sendto", 44, 206} }
func callSendmsg() call      { return call{"sendmsg", 46, 211} }
func callSendmmsg() call     { return call{"sendmmsg", 307, 269} }
func callSetsockopt() call   { return call{"setsockopt", 54, 208} }
func callPrlimit() call      { return call{"prlimit64", 302, 261} }
func callSetscheduler() call { return call{"sched_setscheduler", 144, 119} }
func callSetparam() call     { return call{"sched_setparam", 142, 118} }
func callSetattr() call      { return call{"sched_setattr", 314, 274} }
func callSetaffinity() call  { return call{"sched_setaffinity", 203, 122} }
func callSetpriority() call  { return call{"setpriority", 141, 140} }
func callIoprioSet() call    { return call{"ioprio_set", 251, 30} }
func callPrctl() call        { return call{"prctl", 157, 167} }
func callOpen() call         { return call{"open", 2, none} }
func callOpenat() call       { return call{"openat", 257, 56} }
func callOpenat2() call      { return call{"openat2", 437, 437} }
func callTruncate() call     { return call{"truncate", 76, 45} }
