# C: tries namespaces and the kernel's surface.
import ctypes, errno, os, platform, sys, threading

libc = ctypes.CDLL(None, use_errno=True)
amd64 = platform.machine() == "x86_64"


def call(number, *args):
    ctypes.set_errno(0)
    r = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    return ctypes.get_errno() if r == -1 else 0


def expect(name, got, *wanted):
    if got not in wanted:
        print(name, errno.errorcode.get(got, got))


numbers = {  # amd64, arm64
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "setns": (308, 268),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432),
    "mount_setattr": (442, 442), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438), "kcmp": (312, 272),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104), "reboot": (169, 142),
    "swapon": (167, 224), "acct": (163, 89), "quotactl": (179, 60), "syslog": (103, 116), "fanotify_init": (300, 262),
    "inotify_init1": (294, 26), "mq_open": (240, 180), "sethostname": (170, 161), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "memfd_secret": (447, 447), "move_pages": (279, 239),
}
for name, (x, a) in numbers.items():
    expect(name, call(x if amd64 else a, 0, 0, 0, 0, 0), errno.EPERM)

unshare, clone = (272, 56) if amd64 else (97, 220)
for flag in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x7E020000):
    expect("unshare %#x" % flag, call(unshare, flag), errno.EPERM)
    if flag != 0x80:
        expect("clone %#x" % flag, call(clone, flag | 17, 0, 0, 0, 0), errno.EPERM)
expect("clone3", call(435, 0, 0), errno.ENOSYS)
expect("unknown call", call(600), errno.ENOSYS)
if amd64:
    # The call is refused, or it ends the process.
    child = os.fork()
    if child == 0:
        os._exit(call(0x40000000 + 39))
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        expect("x32 getpid", os.WEXITSTATUS(status), errno.ENOSYS)
personality, fcntl, ioctl = (135, 72, 16) if amd64 else (92, 25, 29)
expect("personality", call(personality, 0x0040000), errno.EPERM)
expect("personality query", call(personality, 0xFFFFFFFF), 0)
f = os.open("f", os.O_CREAT | os.O_RDWR)
expect("lease", call(fcntl, f, 1024, 0), errno.EPERM)
expect("notify", call(fcntl, os.open(".", os.O_RDONLY), 1026, 0), errno.EPERM)
expect("TIOCSTI", call(ioctl, 0, 0x5412, ctypes.c_char_p(b"x")), errno.EPERM)
expect("TIOCSTI with high bits", call(ioctl, 0, 0x100005412, ctypes.c_char_p(b"x")), errno.EPERM)

# Scripts still have what they need.
t = threading.Thread(target=lambda: None)
t.start()
t.join()
if os.system("true") != 0:
    print("no subprocesses")

# Nothing distinguishes one host from another.
for path in ("/sys/class/dmi/id/product_uuid", "/proc/kallsyms", "/proc/sys/kernel/random/boot_id_x", "/sys/fs/cgroup",
             "/proc/scsi/scsi"):
    try:
        text = open(path).read(4096) if os.path.isfile(path) else os.listdir(path)
        if path == "/proc/kallsyms":
            text = any(line.split()[0].strip("0") for line in text.splitlines()[:10])  # addresses
        if text:
            print("read", path)
    except OSError:
        pass
