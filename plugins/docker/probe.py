# Tries to break out of the container it is PID 1 of, and tells what happened: one JSON object on stdout, name -> {held, detail}.
import os


def opened():
    extra = []
    for fd in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + fd)
        except OSError:
            continue  # the listing's own
        if int(fd) > 2:
            extra.append(fd + " -> " + target)
    return ", ".join(extra)


inherited = opened()  # before ctypes comes, whose library keeps a file open for itself where it was built so

import ctypes, errno, json, os, platform, socket, stat, sys

facts = json.loads(sys.stdin.readline())
libc = ctypes.CDLL(None, use_errno=True)
results = {}


def control(name):
    def register(attempt):
        try:
            broken = attempt()
        except Exception as e:  # an attempt that can't even be made has proved nothing
            broken = "the attempt itself failed: %r" % e
        results[name] = {"held": not broken, "detail": str(broken or attempt.__doc__)}
    return register


calls = {  # amd64, arm64
    "unshare": (272, 97), "clone": (56, 220), "clone3": (435, 435), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "mount_setattr": (442, 442), "ptrace": (101, 117), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438), "kcmp": (312, 272),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264),
    "init_module": (175, 105), "finit_module": (313, 273), "kexec_load": (246, 104), "reboot": (169, 142), "swapon": (167, 224),
    "acct": (163, 89), "quotactl": (179, 60), "syslog": (103, 116), "inotify_init1": (294, 26), "fanotify_init": (300, 262),
    "mq_open": (240, 180), "sethostname": (170, 161), "settimeofday": (164, 170),
}
machine = ("x86_64", "aarch64").index(platform.machine())


def syscall(name, *args):
    """Returns 0 or the error number."""
    ctypes.set_errno(0)
    return ctypes.get_errno() if libc.syscall(ctypes.c_long(calls[name][machine]), *[ctypes.c_long(a) for a in args]) == -1 else 0


def refused(act, *numbers):
    """Runs act, which must fail with one of the error numbers."""
    try:
        act()
    except OSError as e:
        return None if e.errno in numbers else "unexpected " + repr(e)
    return "it worked"


def read(path):
    with open(path, "rb") as f:
        return f.read()


def mounts():
    """Yields mount point, options, file system."""
    for line in read("/proc/self/mountinfo").decode().splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        yield fields[4], fields[5].split(","), after.split()[0]


@control("environment is empty")
def _():
    "read /proc/1/environ"
    extra = [e.split(b"=")[0].decode("ascii", "replace") for e in read("/proc/1/environ").split(b"\0") if e]
    return "found " + ", ".join(extra) if set(extra) - {"HOME"} else None  # runc sets HOME itself


@control("no inherited descriptors")
def _():
    "listed /proc/self/fd"
    return inherited


def harmless(point):
    "A rootless engine can't make devices, so it mounts those that every container has."
    devices = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9), "tty": (5, 0)}
    directory, name = os.path.split(point)
    if directory != "/dev" or name not in devices:
        return False
    s = os.stat(point)
    return stat.S_ISCHR(s.st_mode) and (os.major(s.st_rdev), os.minor(s.st_rdev)) == devices[name]


@control("host files are hidden")
def _():
    "read the mount table, looked for files of the host and for the engine's socket"
    expected = {"/", "/proc", "/dev", "/dev/shm", "/dev/pts", "/dev/mqueue", "/tmp", "/sys", "/sys/fs/cgroup", "/etc/resolv.conf", "/etc/hostname", "/etc/hosts"}
    for point, options, kind in mounts():
        if harmless(point):
            continue
        if point not in expected and not point.startswith("/proc/"):
            return "mounted: " + point
        if "rw" in options and point not in ("/proc", "/dev", "/dev/shm", "/tmp") and not point.startswith("/proc/"):
            return "writable: " + point
        if point in ("/dev/shm", "/tmp") and kind != "tmpfs":
            return "%s is %s" % (point, kind)
    for path in facts["hidden"] + ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd"]:
        if os.path.lexists(path) or os.path.lexists("/proc/1/root" + path):
            return "visible: " + path


@control("file systems are read-only")
def _():
    "created files everywhere but in /tmp and /dev/shm, and changed /airlock-init and /proc/sys"
    for directory in ["/", "/usr", "/usr/bin", "/etc", "/dev", "/usr/local", "/var/tmp", "/var", "/home", "/root", "/run", "/sys", "/dev/pts", "/dev/mqueue", "/proc"]:
        path = directory.rstrip("/") + "/x"
        bad = refused(lambda: os.open(path, os.O_CREAT | os.O_WRONLY), errno.EROFS, errno.ENOENT, errno.EACCES)
        if bad:
            return path + ": " + bad
    for path in ["/airlock-init", "/etc/passwd", "/etc/resolv.conf", "/etc/hosts", "/proc/sys/kernel/hostname", "/proc/sys/kernel/core_pattern",
                 "/proc/sys/net/ipv4/ip_unprivileged_port_start", "/proc/sysrq-trigger"]:
        bad = refused(lambda: os.open(path, os.O_WRONLY), errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT, errno.ETXTBSY)
        if bad:
            return path + ": " + bad


@control("user is nobody without capabilities")
def _():
    "read ids and /proc/self/status, called setuid(0)"
    if (os.getuid(), os.geteuid(), os.getgid(), os.getegid()) != (65534,) * 4 or os.getgroups() not in ([], [65534]):
        return "ids are %r, groups %r" % (os.getresuid() + os.getresgid(), os.getgroups())
    status = dict(l.split(":\t", 1) for l in read("/proc/self/status").decode().splitlines() if ":\t" in l)
    for cap in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        if int(status[cap], 16):
            return cap + " is " + status[cap]
    if status.get("NoNewPrivs", "").strip() != "1":
        return "new privileges are possible"
    return refused(lambda: os.setuid(0), errno.EPERM, errno.EINVAL)


@control("other processes are hidden")
def _():
    "listed /proc"
    pids = [p for p in os.listdir("/proc") if p.isdigit()]
    return "pid %d, visible: %s" % (os.getpid(), ", ".join(pids)) if os.getpid() != 1 or pids != ["1"] else None


@control("no network")
def _():
    "looked for interfaces and routes; connected to public, metadata and this host's addresses over TCP and UDP"
    interfaces = [l.split(":")[0].strip() for l in read("/proc/net/dev").decode().splitlines()[2:]]
    if set(interfaces) - {"lo", "tunl0", "sit0", "ip6tnl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "ip6gre0"}:  # kernels put the latter, down, into every namespace
        return "interfaces: " + ", ".join(interfaces)
    if len(read("/proc/net/route").splitlines()) > 1:
        return "there are routes"
    targets = [("8.8.8.8", 53), ("1.1.1.1", 443), ("169.254.169.254", 80), ("10.0.0.1", 80), ("172.17.0.1", 2375), ("192.0.2.1", 80)]
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        for target in targets + [("127.0.0.1", facts["canary"])] * (kind == socket.SOCK_STREAM):
            with socket.socket(socket.AF_INET, kind) as s:
                s.settimeout(0.5)
                bad = refused(lambda: s.connect(target), errno.ENETUNREACH, errno.ECONNREFUSED, errno.EHOSTUNREACH)
                if bad:
                    return "%s:%d: %s" % (target + (bad,))
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as s:
        s.settimeout(0.5)
        return refused(lambda: s.connect(("2001:4860:4860::8888", 53)), errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EACCES)


@control("names resolve in the box or nowhere")
def _():
    "read /etc/resolv.conf, asked for a name"
    servers = [l.split()[1] for l in read("/etc/resolv.conf").decode().splitlines() if l.startswith("nameserver")]
    if servers != ["127.0.0.1"]:
        return "name servers: " + ", ".join(servers)
    try:
        return "resolved: %r" % socket.getaddrinfo("example.com", 80)
    except socket.gaierror:
        pass


@control("loopback serves low ports")
def _():
    "bound and connected 127.0.0.1:53 and 127.77.0.1:443"
    for address in (("127.0.0.1", 53), ("127.77.0.1", 443)):
        with socket.socket() as l, socket.socket() as c:
            l.bind(address)
            l.listen()
            c.connect(address)


@control("no other sockets")
def _():
    "opened vsock, netlink, packet, alg, tipc and raw sockets"
    for family, kind in ((40, 1), (16, 3), (17, 3), (38, 5), (30, 1), (31, 1), (socket.AF_INET, 3), (socket.AF_INET6, 3)):
        bad = refused(lambda: socket.socket(family, kind).close(), errno.EPERM, errno.EAFNOSUPPORT, errno.EACCES, errno.EPROTONOSUPPORT)
        if bad:
            return "family %d type %d: %s" % (family, kind, bad)


@control("no new namespaces")
def _():
    "unshared and cloned each kind, entered PID 1's"
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        if syscall("unshare", flag) != errno.EPERM:
            return "unshare %#x" % flag
        if syscall("clone", flag | 17, 0, 0, 0, 0) != errno.EPERM:
            return "clone %#x" % flag
    if syscall("unshare", 0x80) != errno.EPERM:  # of time, which can't be cloned
        return "unshare 0x80"
    if syscall("clone3", 0, 0) != errno.ENOSYS:
        return "clone3"
    fd = os.open("/proc/self/ns/net", os.O_RDONLY)
    return None if syscall("setns", fd, 0) == errno.EPERM else "setns"


@control("kernel surface is closed")
def _():
    "called mount, ptrace, bpf, io_uring, keyrings and others"
    for name in calls:
        first = 0x7fff if name == "ptrace" else 0  # a request that there isn't, since 0 would have PID 1 traced
        if name not in ("clone", "clone3", "unshare") and syscall(name, first, 0, 0, 0, 0) not in (errno.EPERM, errno.ENOSYS):
            return name


@control("no control groups")
def _():
    "looked for cgroup and sysfs file systems"
    kinds = sorted({kind for _, _, kind in mounts()} & {"cgroup", "cgroup2", "sysfs", "debugfs", "tracefs", "securityfs", "bpf"})
    return "mounted: " + ", ".join(kinds) if kinds else None


@control("no devices and terminals")
def _():
    "listed /dev, opened a pty"
    for name in os.listdir("/dev"):
        s = os.stat("/dev/" + name) if os.path.exists("/dev/" + name) else None
        if s and stat.S_ISBLK(s.st_mode):
            return name
        if s and stat.S_ISCHR(s.st_mode) and name not in ("null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "core"):
            return name
    return refused(os.openpty, errno.ENOENT, errno.EACCES, errno.ENODEV, errno.EROFS)


def programs_in_tmp():
    "ran a program in /tmp"
    with open("/tmp/program", "w") as f:
        f.write("#!/bin/sh\n")
    os.chmod("/tmp/program", 0o755)
    child = os.fork()
    if child == 0:
        try:
            os.execv("/tmp/program", ["program"])
        except OSError as e:
            os._exit(e.errno)
    _, status = os.waitpid(child, 0)
    os.unlink("/tmp/program")
    return None if os.WIFEXITED(status) and os.WEXITSTATUS(status) == errno.EACCES else "it worked"


if not facts["exec"]:
    control("tmp holds no programs")(programs_in_tmp)


@control("tmp is limited")
def _():
    "wrote past the limits of /tmp and /dev/shm"
    for directory, limit in (("/tmp", facts["tmp"]), ("/dev/shm", facts["shm"])):
        paths = []
        written = 0
        try:
            for i in range(3):
                paths.append("%s/fill%d" % (directory, i))
                with open(paths[-1], "wb", buffering=0) as f:
                    while written <= 2 * limit:
                        try:
                            written += f.write(b"\0" * 65536)
                        except OSError as e:
                            if e.errno not in (errno.ENOSPC, errno.EFBIG):
                                raise
                            break
        finally:
            for path in paths:
                os.unlink(path)
        if written > limit:
            return "%s took %d bytes" % (directory, written)


@control("open files are limited")
def _():
    "opened /dev/null over and over"
    held = []
    try:
        while len(held) <= facts["files"]:
            held.append(os.open("/dev/null", os.O_RDONLY))
        return "%d files" % len(held)
    except OSError as e:
        return None if e.errno == errno.EMFILE else repr(e)
    finally:
        for fd in held:
            os.close(fd)


@control("processes are limited")
def _():
    "forked over and over"
    children = 1  # this one
    r, w = os.pipe()
    try:
        while children <= 4 * facts["pids"]:
            if os.fork() == 0:
                os.close(w)
                os.read(r, 1)
                os._exit(0)
            children += 1
    except OSError as e:
        if e.errno != errno.EAGAIN:
            return repr(e)
    finally:
        os.close(w)
        for _ in range(children - 1):
            os.wait()
    return "%d processes" % children if children > facts["pids"] else None


print(json.dumps(results))
