# B: tries PID 1, other processes and /proc.
import ctypes, os, signal, sys, time

libc = ctypes.CDLL(None, use_errno=True)
port, canary, state = int(sys.argv[1]), sys.argv[2], sys.argv[3]

# PID 1 is closed: it isn't dumpable, and it can't be killed or stopped from inside.
for name in ("environ", "mem", "maps", "fd", "root", "exe", "cwd", "io", "syscall", "stack", "auxv", "pagemap"):
    try:
        p = "/proc/1/" + name
        os.listdir(p) if name in ("fd", "root", "cwd") else os.open(p, os.O_RDWR if name == "mem" else os.O_RDONLY)
        # opening may be allowed where reading isn't
        if name in ("environ", "auxv", "syscall", "stack", "io", "maps", "pagemap"):
            os.read(os.open(p, os.O_RDONLY), 1)
        print("opened", p)
    except OSError:
        pass
for s in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV):
    os.kill(1, s) if s != signal.SIGSEGV else None
if not os.path.exists("/proc/1"):
    print("PID 1 died")
for request in (16, 0x4206):  # PTRACE_ATTACH, PTRACE_SEIZE
    if libc.ptrace(request, 1, None, None) != -1:
        print("ptrace", request)

# No other process is there, and nothing shows how this one was started.
me = {"1", str(os.getpid())}
others = {p for p in os.listdir("/proc") if p.isdigit()} - me
if others:
    print("processes", others)
cmdline = open("/proc/1/cmdline", "rb").read()
if cmdline != b"/airlock-init\0":
    print("PID 1 is", cmdline)
for text in (open("/proc/self/mountinfo").read(), open("/proc/self/cgroup").read(), open("/proc/self/environ").read(),
             repr(dict(os.environ))):
    for word in (state, canary, "airlock-canary", "AIRLOCK_CANARY", "/airlock-test-"):
        if word in text:
            print("host name shows:", word)
if os.getppid() != 1 or os.getuid() != 65534 or os.getgid() != 65534 or os.getgroups() not in ([], [65534]):
    print("identity", os.getppid(), os.getuid(), os.getgid(), os.getgroups())
if os.uname().nodename != "sandbox":
    print("host name is", os.uname().nodename)
for fd in os.listdir("/proc/self/fd"):
    try:
        target = os.readlink("/proc/self/fd/" + fd)
        if int(fd) > 2 and not target.startswith("/proc/"):
            print("descriptor", fd, target)
    except OSError:
        pass

# It can't gain rights.
status = open("/proc/self/status").read()
for line in status.splitlines():
    if line.startswith("Cap") and int(line.split()[1], 16):
        print(line)
if "NoNewPrivs:\t1" not in status or "Seccomp:\t2" not in status:
    print("no filter")
for act in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]), lambda: os.nice(-1),
            lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)), lambda: os.chroot("/tmp"),
            lambda: os.setpriority(os.PRIO_PROCESS, 0, -20)):
    try:
        act()
        print("gained something")
    except OSError:
        pass

# Zombies are reaped, or the process numbers would run out. PID 1 may be slow on a busy machine.
def fork():
    for attempt in range(500):
        try:
            return os.fork()
        except BlockingIOError:
            time.sleep(0.01)
    print("zombies are not reaped")
    os._exit(0)


for i in range(100):
    if fork() == 0:
        if fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
