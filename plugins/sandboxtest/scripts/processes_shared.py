# B, where the box sees the host's processes: those must stay closed, whatever their user.
import ctypes, os, resource, signal, sys, time

libc = ctypes.CDLL(None, use_errno=True)
guest = os.getppid()
outside = []  # every process of the machine that can be named, except this one and the guest
for pid in range(1, 65536):
    try:
        # by session, because threads have numbers too, also the guest's
        if os.getsid(pid) not in (os.getsid(0), os.getsid(guest)):
            outside.append(pid)
    except ProcessLookupError:
        pass

for pid in outside + [1]:
    for name in ("environ", "cmdline", "mem", "maps", "status", "fd", "task", "root", "cwd", "exe", "oom_score_adj",
                 "ns/net", "mountinfo", "net/tcp"):
        try:
            os.open("/proc/%d/%s" % (pid, name), os.O_RDONLY)
            print("opened", name, "of", pid)
        except OSError:
            pass
    for number in (0, signal.SIGCONT, signal.SIGURG):
        try:
            os.kill(pid, number)
            print("signalled", pid)
        except OSError:
            pass
    for what, act in (("prlimit", lambda: resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))),
                      ("nice", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19)),
                      ("affinity", lambda: os.sched_setaffinity(pid, {0})),
                      ("scheduler", lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)))):
        try:
            act()
            print(what, "of", pid)
        except OSError:
            pass
    for request in (16, 0x4206):  # PTRACE_ATTACH, PTRACE_SEIZE
        if libc.ptrace(request, pid, None, None) != -1:
            print("ptrace", pid)
try:
    os.setpriority(os.PRIO_USER, 0, 19)
    print("nice for the user")
except OSError:
    pass
try:
    print("listed /proc", os.listdir("/proc"))
except OSError:
    pass
# "docker run --cap-drop ALL" leaves the uid at 0, without any capability.
powerful = os.getuid() == 0 and any(libc.prctl(23, n, 0, 0, 0) > 0 for n in range(64))
if powerful or os.getgroups() not in ([], [os.getgid()]):
    print("identity", os.getuid(), os.getgid(), os.getgroups())
for fd in range(4, 64):
    try:
        os.fstat(fd)
        print("descriptor", fd)
    except OSError:
        pass
for name in os.environ:
    if name not in ("PATH", "PYTHONHASHSEED", "LC_CTYPE"):
        print("variable", name)
if libc.prctl(39, 0, 0, 0, 0) != 1 or libc.prctl(21, 0, 0, 0, 0) != 2:
    print("no filter")
if libc.prctl(4, 0, 0, 0, 0) != -1:
    print("became invisible to the supervisor")
if os.getgid() != 0:  # "docker run --user 65534" leaves the group at 0
    try:
        os.setgid(0)
        print("gained a group")
    except OSError:
        pass
for act in (lambda: os.setuid(0 if os.getuid() else 1), lambda: os.setgroups([0]), lambda: os.nice(-1),
            lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)), lambda: os.chroot("/tmp")):
    try:
        act()
        print("gained something")
    except OSError:
        pass

# Zombies are reaped, which frees their places.
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
