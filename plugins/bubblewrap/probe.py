# Tries to break out of the box it is PID 1 of, and tells what happened: one JSON object on stdout, name -> [held, detail].
import os


def opened():
    extra = []
    for fd in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + fd)
        except OSError:
            continue  # the listing's own
        if int(fd) > 2 and not target.startswith("/memfd:airlock-init"):
            extra.append(fd + " -> " + target)
    return ", ".join(extra)


inherited = opened()  # before ctypes comes, whose library keeps a file open for itself where it was built so

import ctypes, errno, json, os, socket, sys, time

facts = json.loads(sys.stdin.readline())
libc = ctypes.CDLL(None, use_errno=True)
results = {}


def control(name):
    def register(attempt):
        try:
            broken = attempt()
        except Exception as e:  # an attempt that can't even be made has proved nothing
            broken = "the attempt itself failed: %r" % e
        results[name] = [not broken, str(broken or attempt.__doc__)]
    return register


def syscall(name, *args):
    """Returns 0 or the error number."""
    nr = facts["calls"].get(name)
    if nr is None:
        return errno.ENOSYS
    ctypes.set_errno(0)
    args = [a if isinstance(a, (bytes, ctypes.c_void_p)) else ctypes.c_long(a) for a in args]
    return ctypes.get_errno() if libc.syscall(ctypes.c_long(nr), *args) == -1 else 0


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


@control("environment is empty")
def _():
    "read /proc/1/environ"
    extra = set(read("/proc/1/environ").split(b"\0")) - {b"", b"PWD=/tmp"}  # bwrap sets PWD itself
    return "found " + ", ".join(sorted(e.split(b"=")[0].decode("ascii", "replace") for e in extra)) if extra else None


@control("no inherited descriptors")
def _():
    "listed /proc/self/fd"
    return inherited


@control("host files are hidden")
def _():
    "listed / and looked for files of the host"
    allowed = {"airlock-init", "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "tmp", "usr"}
    extra = set(os.listdir("/")) - allowed
    extra |= {p for p in facts["hidden"] if os.path.lexists(p) or os.path.lexists("/proc/1/root" + p)}
    return "visible: " + ", ".join(sorted(extra)) if extra else None


@control("file systems are read-only")
def _():
    "created files in /, /usr, /etc, /dev and changed /airlock-init and /proc/sys"
    paths = ["/x", "/usr/x", "/usr/bin/x", "/etc/x", "/dev/x", "/usr/local/x", "/dev/pts/x"]
    for path in paths:
        bad = refused(lambda: os.open(path, os.O_CREAT | os.O_WRONLY), errno.EROFS, errno.ENOENT)
        if bad:
            return path + ": " + bad
    for path in ["/airlock-init", "/proc/sys/kernel/hostname", "/proc/sys/net/ipv4/ip_unprivileged_port_start", "/proc/sysrq-trigger"]:
        bad = refused(lambda: os.open(path, os.O_WRONLY), errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT, errno.ETXTBSY)
        if bad:
            return path + ": " + bad


@control("user is nobody without capabilities")
def _():
    "read ids and /proc/self/status, called setuid(0)"
    if (os.getuid(), os.geteuid(), os.getgid(), os.getegid()) != (65534,) * 4:
        return "ids are %r" % (os.getresuid() + os.getresgid(),)
    status = dict(l.split(":\t", 1) for l in read("/proc/self/status").decode().splitlines() if ":\t" in l)
    for cap in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        if int(status[cap], 16):
            return cap + " is " + status[cap]
    if status["NoNewPrivs"].strip() != "1":
        return "new privileges are possible"
    if status["Seccomp"].strip() != "2":
        return "no system call filter"
    return refused(lambda: os.setuid(0), errno.EPERM, errno.EINVAL)


@control("other processes are hidden")
def _():
    "listed /proc and signalled"
    if os.getpid() != 1:
        return "pid is %d" % os.getpid()
    pids = [p for p in os.listdir("/proc") if p.isdigit()]
    return "visible: " + ", ".join(pids) if pids != ["1"] else None


@control("no network")
def _():
    "looked for routes; connected to public, metadata and this host's addresses over TCP and UDP"
    if len(read("/proc/net/route").splitlines()) > 1:
        return "there are routes"
    targets = [("8.8.8.8", 53), ("1.1.1.1", 443), ("169.254.169.254", 80), ("10.0.0.1", 80), ("192.0.2.1", 80)]
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
        bad = refused(lambda: socket.socket(family, kind).close(), errno.EPERM, errno.EAFNOSUPPORT)
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
    for name in facts["closed"]:
        if syscall(name, 0, 0, 0, 0, 0) not in (errno.EPERM, errno.ENOSYS):
            return name


@control("no control groups")
def _():
    "looked for cgroup file systems"
    return "mounted" if b"cgroup" in read("/proc/self/mountinfo") or os.path.exists("/sys") else None


@control("tmp is limited")
def _():
    "wrote past the limits of /tmp and /dev/shm"
    for directory, limit in (("/tmp", facts["tmp"]), ("/dev/shm", facts["shm"])):
        paths = []
        try:
            written = 0
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
