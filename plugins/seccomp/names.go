package seccomp

import "strings"

// permittedNames lists every reviewed call that the filter allows with any arguments, for engines
// that need such a list. A test compares it with the platform's calls.
func permittedNames() []string {
	return strings.Fields(`
		accept accept4 access adjtimex alarm arch_prctl bind brk cachestat capget capset chdir chmod chown
		clock_adjtime clock_getres clock_gettime clock_nanosleep close close_range connect copy_file_range creat
		dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2
		execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate fchdir fchmod fchmodat fchmodat2
		fchown fchownat fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstatfs fsync
		ftruncate futex futex_requeue futex_wait futex_waitv futex_wake futimesat get_mempolicy get_robust_list
		get_thread_area getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername
		getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid
		getsockname getsockopt gettid gettimeofday getuid getxattr inotify_add_watch inotify_rm_watch io_cancel
		io_destroy io_getevents io_pgetevents io_submit ioprio_get ioprio_set kill landlock_add_rule
		landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen listxattr llistxattr
		lremovexattr lseek lsetxattr lsm_get_self_attr lsm_list_modules lsm_set_self_attr lstat madvise
		map_shadow_stack mbind membarrier memfd_create mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall
		mmap mprotect mq_getsetattr mq_notify mq_timedreceive mq_timedsend mq_unlink mremap mseal msgctl msgget
		msgrcv msgsnd msync munlock munlockall munmap nanosleep newfstatat open openat openat2 pause pidfd_open
		pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll pread64 preadv preadv2
		prlimit64 process_mrelease pselect6 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv
		recvfrom recvmmsg recvmsg remap_file_pages removexattr rename renameat renameat2 restart_syscall rmdir
		rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
		rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr
		sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam
		sched_setscheduler sched_yield select semctl semget semop semtimedop sendfile sendmmsg sendmsg sendto
		set_mempolicy set_mempolicy_home_node set_robust_list set_thread_area set_tid_address setfsgid setfsuid
		setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid
		setuid setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4 splice stat statfs statx
		symlink symlinkat sync sync_file_range syncfs sysinfo tee tgkill time timer_delete timer_getoverrun
		timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask
		uname unlink unlinkat utime utimensat utimes vfork vmsplice wait4 waitid write writev
	`)
}
