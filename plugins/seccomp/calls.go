package seccomp

// none marks a call that an architecture does not have.
const none = -1

// newest is the highest reviewed number (mseal, Linux 6.10). Both architectures number new calls
// alike.
const newest = 462

type call struct {
	name         string
	amd64, arm64 int
}

// deniedCalls lists calls that no script needs. They reach the host, other boxes or rarely used
// parts of the kernel.
func deniedCalls() []call {
	return []call{
		{"acct", 163, 89},
		{"add_key", 248, 217},
		{"bpf", 321, 280},
		{"chroot", 161, 51},
		{"clock_settime", 227, 112},
		{"create_module", 174, none},
		{"delete_module", 176, 106},
		{"fanotify_init", 300, 262},
		{"fanotify_mark", 301, 263},
		{"finit_module", 313, 273},
		{"fsconfig", 431, 431},
		{"fsmount", 432, 432},
		{"fsopen", 430, 430},
		{"fspick", 433, 433},
		{"get_kernel_syms", 177, none},
		{"init_module", 175, 105},
		{"inotify_init", 253, none},
		{"inotify_init1", 294, 26},
		{"io_uring_enter", 426, 426},
		{"io_uring_register", 427, 427},
		// all users share the machine's bound of such requests; without it the other calls have
		// nothing to work on
		{"io_setup", 206, 0},
		{"io_uring_setup", 425, 425},
		{"ioperm", 173, none},
		{"iopl", 172, none},
		{"kcmp", 312, 272},
		{"kexec_file_load", 320, 294},
		{"kexec_load", 246, 104},
		{"keyctl", 250, 219},
		{"listmount", 458, 458},
		{"lookup_dcookie", 212, 18},
		{"memfd_secret", 447, 447},
		{"migrate_pages", 256, 238},
		{"modify_ldt", 154, none},
		{"mount", 165, 40},
		{"mount_setattr", 442, 442},
		{"move_mount", 429, 429},
		{"move_pages", 279, 239},
		{"mq_open", 240, 180},
		{"name_to_handle_at", 303, 264},
		{"nfsservctl", 180, 42},
		{"open_by_handle_at", 304, 265},
		{"open_tree", 428, 428},
		{"perf_event_open", 298, 241},
		{"pidfd_getfd", 438, 438},
		{"pivot_root", 155, 41},
		{"process_madvise", 440, 440},
		{"process_vm_readv", 310, 270},
		{"process_vm_writev", 311, 271},
		{"ptrace", 101, 117},
		{"query_module", 178, none},
		{"quotactl", 179, 60},
		{"quotactl_fd", 443, 443},
		{"reboot", 169, 142},
		{"request_key", 249, 218},
		{"seccomp", 317, 277}, // see refusedSocket: a box that runs has its filter
		{"setdomainname", 171, 162},
		{"sethostname", 170, 161},
		{"setns", 308, 268},
		{"settimeofday", 164, 170},
		{"statmount", 457, 457},
		{"swapoff", 168, 225},
		{"swapon", 167, 224},
		{"_sysctl", 156, none},
		{"syslog", 103, 116},
		{"sysfs", 139, none},
		{"timer_create", 222, 107}, // its timers can send SIGCONT, which would thaw a frozen box; setitimer's can't
		{"umount2", 166, 39},
		{"uselib", 134, none},
		{"userfaultfd", 323, 282},
		{"ustat", 136, none},
		{"vhangup", 153, 58},
		{"vserver", 236, none},
	}
}

// hiddenMemoryCalls lists calls whose memory no process, descriptor or mounted file system shows.
func hiddenMemoryCalls() []call {
	return []call{
		{"shmget", 29, 194},
		{"msgget", 68, 186},
		{"memfd_create", 319, 279},
	}
}

// Calls whose arguments decide.
func callClone3() call      { return call{"clone3", 435, 435} }
func callClone() call       { return call{"clone", 56, 220} }
func callUnshare() call     { return call{"unshare", 272, 97} }
func callSocket() call      { return call{"socket", 41, 198} }
func callSocketpair() call  { return call{"socketpair", 53, 199} }
func callPersonality() call { return call{"personality", 135, 92} }
func callFcntl() call       { return call{"fcntl", 72, 25} }
func callIoctl() call       { return call{"ioctl", 16, 29} }
func callMmap() call        { return call{"mmap", 9, 222} }
func callCloseRange() call  { return call{"close_range", 436, 436} }

// Argument values. All are kernel ABI.
const (
	newAny  = 0x7e020000 // every CLONE_NEW* flag that clone(2) knows
	newTime = 0x80       // unshare(2) only

	newThread, ownFiles = 0x10000, 0x400 // CLONE_THREAD, CLONE_FILES

	afUnix, afInet, afInet6 = 1, 2, 10

	personalityQuery = 0xffffffff
)

// refusedSocket are SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF and
// SO_ATTACH_REUSEPORT_EBPF. Attached programs use scarce, uncounted kernel memory
// (net.core.bpf_jit_limit). Without any left no box gets a filter.
func refusedSocket() []uint32 { return []uint32{26, 50, 51, 52} }

// setSeccomp is prctl's command for the same: PR_SET_SECCOMP.
const setSeccomp = 22

// solSocket is the level of a socket's own options.
const solSocket = 1

// refusedFcntl are commands of fcntl. F_SETSIG could choose SIGCONT, which thaws a frozen box;
// F_SETLEASE and F_NOTIFY watch files that boxes share.
func refusedFcntl() []uint32 { return []uint32{10, 1024, 1026} }

// refusedIoctl are TIOCSTI and TIOCLINUX, which type into terminals.
func refusedIoctl() []uint32 { return []uint32{0x5412, 0x541c} }
