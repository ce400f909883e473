# The controls of a box without namespaces. The probe plays the guest too: over descriptor 3 the
# supervisor hands over sockets.
import array, resource, signal, struct, threading, time

calls.update({
    "truncate": (76, 45), "open": (2, None), "creat": (85, None), "openat": (257, 56), "openat2": (437, 437),
    "process_vm_readv": (310, 270), "io_uring_enter": (426, 426), "bind": (49, 200), "listen": (50, 201),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "shmget": (29, 194), "shmat": (30, 196), "semget": (64, 190),
    "semop": (65, 193), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "process_madvise": (440, 440),
    "move_pages": (279, 239), "migrate_pages": (256, 238),
})
depends_on_arguments |= {"truncate", "open", "creat", "openat", "openat2"}  # or on the kernel
closed = (errno.EPERM, errno.EACCES, errno.ENOENT)
nowhere = (errno.ENETUNREACH, errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL)


def each(attempts, *numbers):
    """Tries (name, function, arguments...) in turn and returns what wasn't refused.

    Arguments are apart because a function made in a loop would see only the loop's last values.
    """
    for what, act, *args in attempts:
        bad = refused(lambda: act(*args), *numbers)
        if bad:
            return "%s: %s" % (what, bad)


def opening(path, flags):
    def act():
        os.close(os.open(path, flags))
    return act


@control("environment is empty")
def _():
    "read the environment"
    extra = set(os.environ) - {"LC_CTYPE"}  # Python's own
    return "found " + ", ".join(sorted(extra)) if extra else None


@control("no inherited descriptors")
def _():
    "looked at every descriptor"
    extra = []
    for fd in range(4, 64):
        try:
            os.fstat(fd)
            extra.append(str(fd))
        except OSError:
            pass
    return ", ".join(extra)


@control("host files are closed")
def _():
    "opened files, directories and devices of the host"
    return each([(p, opening(p, os.O_RDONLY)) for p in facts["hidden"] + [facts["file"]]], *closed)


@control("links lead nowhere")
def _():
    "went through links of its own and those of /proc"
    os.symlink("/etc", "link")
    paths = ["link/shadow", "../" * 30 + "etc/passwd", "/proc/self/root/etc/passwd",
            "/proc/self/cwd/../../../etc/passwd", "/proc/self/environ"]
    bad = each([(p, opening(p, os.O_RDONLY)) for p in paths], *closed)
    os.unlink("link")
    return bad or refused(lambda: os.link(facts["file"], "linked"), errno.EPERM, errno.EACCES, errno.EXDEV)


@control("only its own directory can be written")
def _():
    "created, changed, renamed and removed files of the host"
    directories = "/", "/usr", "/usr/bin", "/etc", "/dev", "/dev/shm", "/tmp", "/var/tmp", "/run"
    attempts = [(d + "/x", opening(d + "/x", os.O_CREAT | os.O_WRONLY)) for d in directories]
    attempts += [("write", opening(facts["file"], os.O_WRONLY)),
                 ("truncate", lambda: os.truncate(facts["file"], 0)),
                 ("remove", lambda: os.unlink(facts["file"])),
                 ("rename", lambda: os.rename(facts["file"], "mine")),
                 ("rename over", lambda: os.rename("own", facts["file"]))]
    open("own", "w").close()
    for directory in ("/dev/pts", "/sys", "/proc"):
        attempts.append((directory, os.mkdir, directory + "/x"))
    bad = each(attempts, errno.EPERM, errno.EACCES, errno.ENOENT, errno.EROFS, errno.EXDEV, errno.ENOTDIR)
    os.unlink("own")
    return bad


def cutting(path):
    """Returns the ways to cut off a file by its path, as calls and their arguments."""
    ways = [("truncate", (path, 0))]
    # O_ACCMODE opens to neither read nor write; Landlock has no right for that
    for access in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_ACCMODE):
        for more in (os.O_TRUNC, os.O_TRUNC | os.O_CREAT, os.O_TRUNC | os.O_NONBLOCK | os.O_CLOEXEC):
            how = struct.pack("=QQQ", access | more, 0o666 if more & os.O_CREAT else 0, 0)
            ways += [("openat", (-100, path, access | more, 0o666)), ("open", (path, access | more, 0o666)),
                     ("openat2", (-100, path, how, 24))]
    ways.append(("creat", (path, 0o666)))
    return [(name, args) for name, args in ways if name in calls]


@control("host files can't be cut off")
def _():
    "truncated by path, by links and by descriptors, and opened with O_TRUNC for each access by each call"
    f = facts["file"]
    os.symlink(f, "link")
    place = os.open(f, os.O_PATH)
    try:
        for path in (f, "link", os.path.relpath(f), "/proc/self/fd/%d" % place, "/proc/thread-self/fd/%d" % place):
            for name, args in cutting(path.encode()):
                number = syscall(name, *args)
                if number not in (errno.EACCES, errno.EPERM, errno.ENOSYS):
                    return "%s%r: error %d" % (name, args, number)
        bad = refused(lambda: os.ftruncate(place, 0), errno.EBADF, errno.EINVAL)
    finally:
        os.close(place)
        os.unlink("link")
    with open("own", "wb") as own:
        own.write(b"1234")
        own.flush()
        own.truncate(2)
    short = os.path.getsize("own")
    open("own", "wb").close()
    if (short, os.path.getsize("own")) != (2, 0):
        bad = bad or "its own files can't be cut off either"
    os.unlink("own")
    return bad


@control("files are opened to read or to write")
def _():
    "opened files and devices for neither, by each call"
    for path in (facts["file"], "own", "/dev/ptmx", "/dev/tty", "/dev/net/tun", "/dev/fuse", "/dev/kvm"):
        path, neither = path.encode(), os.O_ACCMODE
        opens = (("openat", (-100, path, neither, 0)), ("open", (path, neither, 0)),
                 ("openat2", (-100, path, struct.pack("=QQQ", neither, 0, 0), 24)))
        for name, args in opens:
            number = syscall(name, *args)
            if number not in (errno.EACCES, errno.EPERM, errno.ENOSYS):
                return "%s%r: error %d" % (name, args, number)


@control("metadata of host files can't be changed")
def _():
    "changed mode, owner, times and attributes by path"
    f = facts["file"]
    open("own", "w").close()
    os.symlink(f, "link")
    bad = each([
        ("chmod", lambda: os.chmod(f, 0o600)), ("chmod by a link", lambda: os.chmod("link", 0o600)),
        ("chown", lambda: os.chown(f, os.getuid(), os.getgid())),
        ("chmod of /tmp", lambda: os.chmod(os.path.dirname(f), 0o700)),
        ("chmod by ..", lambda: os.chmod(os.path.relpath(f), 0o600)),
        ("utime", lambda: os.utime(f, (1, 1))), ("setxattr", lambda: os.setxattr(f, "user.x", b"1")),
    ], errno.EPERM, errno.EACCES, errno.ENOTSUP)
    os.unlink("link")
    # If the box has no uid of its own, its uid may own the system's files: then a descriptor to
    # read them is enough to change them.
    fd = os.open(os.path.realpath(sys.executable), os.O_RDONLY)
    now = os.fstat(fd)
    bad = bad or each([
        ("fchmod", lambda: os.fchmod(fd, now.st_mode & 0o7777)), ("fchown", lambda: os.fchown(fd, -1, -1)),
        ("futimens", lambda: os.utime(fd, ns=(now.st_atime_ns, now.st_mtime_ns))),
        ("fremovexattr", lambda: os.removexattr(fd, "user.airlock")),
    ], errno.EPERM, errno.EACCES, errno.EROFS)
    os.close(fd)
    os.chmod("own", 0o640)
    os.utime("own", (5, 6))
    info = os.stat("own")
    if info.st_mode & 0o777 != 0o640 or info.st_mtime != 6:
        bad = bad or "its own files can't be changed either"
    os.unlink("own")
    return bad


@control("user without capabilities")
def _():
    "read ids and capabilities, called setuid(0)"
    class header(ctypes.Structure):
        _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]
    sets = (ctypes.c_uint32 * 6)()
    if libc.capget(ctypes.byref(header(0x20080522, 0)), sets) or any(sets):
        return "capabilities %r" % list(sets)
    # Uid 0 is allowed only where Airlock itself runs as a uid 0 without any power.
    wrong = facts["own_uid"] == (os.getuid() == facts["uid"]) or len(set(os.getresuid())) != 1
    if wrong or os.getuid() == 0 and facts["uid"] != 0:
        return "uids are %r" % (os.getresuid(),)
    if facts["own_uid"] and (os.getgroups() or os.getgid() == 0):
        return "groups are %r %r" % (os.getgid(), os.getgroups())
    if libc.prctl(39, 0, 0, 0, 0) != 1:
        return "new privileges are possible"
    if libc.prctl(21, 0, 0, 0, 0) != 2:
        return "no system call filter"
    return refused(lambda: os.setuid(0 if os.getuid() else 1), errno.EPERM, errno.EINVAL)


@control("other processes are closed")
def _():
    "opened files of Airlock's processes in /proc"
    names = ("environ", "cmdline", "mem", "maps", "status", "fd", "root", "cwd", "exe", "stat", "io", "ns/net", "task")
    return each([("%s of %d" % (n, pid), opening("/proc/%d/%s" % (pid, n), os.O_RDONLY))
            for pid in (facts["outside"], os.getppid(), 1) for n in names], *closed)


@control("signals stay inside")
def _():
    "signalled Airlock's processes"
    bad = each([("kill %d" % pid, os.kill, pid, s) for pid in (facts["outside"], os.getppid())
            for s in (0, signal.SIGCONT, signal.SIGURG)], errno.EPERM)
    if bad:
        return bad
    fd = os.pidfd_open(facts["outside"])
    try:
        return refused(lambda: signal.pidfd_send_signal(fd, 0), errno.EPERM)
    finally:
        os.close(fd)


@control("other processes' limits and priorities can't be changed")
def _():
    "called prlimit, setpriority and the scheduler's calls for Airlock's processes"
    pid = facts["outside"]
    return each([
        ("prlimit", lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (10, 10))),
        ("setpriority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19)),
        ("setpriority of a user", lambda: os.setpriority(os.PRIO_USER, 0, 19)),
        ("affinity", lambda: os.sched_setaffinity(pid, {0})),
        ("scheduler", lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))),
        ("parameters", lambda: os.sched_setparam(pid, os.sched_param(0))),
    ], errno.EPERM)


@control("the supervisor can see the box")
def _():
    "made itself non-dumpable"
    return None if libc.prctl(4, 0, 0, 0, 0) == -1 else "it worked"


MSG_FASTOPEN = 0x20000000


def tcp(address, family=socket.AF_INET):
    def act():
        with socket.socket(family) as s:
            s.settimeout(2)
            s.connect(address)
    return act


@control("no network")
def _():
    "connected to public, metadata and this host's addresses, before anybody took connections"
    hosts = [("8.8.8.8", 53), ("1.1.1.1", 443), ("169.254.169.254", 80), ("10.0.0.1", 80), ("192.168.0.1", 80),
            ("127.0.0.1", facts["port"]), ("0.0.0.0", facts["port"]), ("127.0.0.1", 53)]
    v6 = [("::1", facts["port"]), ("2001:4860:4860::8888", 53), ("fd00:ec2::254", 80),
            ("::ffff:127.0.0.1", facts["port"]), ("::ffff:8.8.8.8", 53)]
    attempts = [("%s:%d" % a, tcp(a)) for a in hosts] + [("[%s]:%d" % a, tcp(a, socket.AF_INET6)) for a in v6]
    return each(attempts, *nowhere)


@control("no connecting by sending")
def _():
    "sent with MSG_FASTOPEN by every call, set TCP_FASTOPEN_CONNECT and a source route"
    to = ("127.0.0.1", facts["port"])
    with socket.socket() as s:
        return each([
            ("sendto", lambda: s.sendto(b"x", MSG_FASTOPEN, to)),
            ("sendmsg", lambda: s.sendmsg([b"x"], [], MSG_FASTOPEN, to)),
            ("option", lambda: s.setsockopt(socket.IPPROTO_TCP, 30, 1)),
            ("source route", lambda: s.setsockopt(0, 4, b"\x83\x07\x04\x08\x08\x08\x08\x00")),
            ("device", lambda: s.setsockopt(socket.SOL_SOCKET, 25, b"lo\0")),
        ], errno.EPERM) or refused(lambda: s.sendto(b"x", to), errno.EPIPE, errno.ENOTCONN)


@control("no datagrams")
def _():
    "made INET and Unix datagram sockets"
    families = (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX)
    kinds = [(f, t) for f in families for t in (socket.SOCK_DGRAM, socket.SOCK_RAW)]
    bad = each([("family %d type %d" % k, socket.socket, *k) for k in kinds], errno.EPERM)
    return bad or refused(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM), errno.EPERM)


@control("no serving")
def _():
    "bound and listened, listened without binding"
    addresses = ((socket.AF_INET, ("0.0.0.0", 0)), (socket.AF_INET, ("127.0.0.1", 0)),
                 (socket.AF_INET6, ("::", 0)), (socket.AF_UNIX, "\0airlock-probe"))
    for family, address in addresses:
        with socket.socket(family) as s:
            bad = each([("bind", lambda: s.bind(address)), ("listen", s.listen)], errno.EPERM)
            if bad:
                return bad


@control("no Unix sockets of the host")
def _():
    "connected to sockets by path and by name"
    here = os.getcwd()
    os.chdir(os.path.dirname(facts["file"]))  # its path may be too long for a socket address
    try:
        addresses = facts["socket"], "\0" + facts["abstract"], "/dev/log", "/var/run/docker.sock"
        return each([(repr(a), tcp(a, socket.AF_UNIX)) for a in addresses], errno.ECONNREFUSED)
    finally:
        os.chdir(here)


@control("no other sockets")
def _():
    "opened vsock, netlink, packet, alg, tipc sockets, SCTP and MPTCP"
    others = ((40, 1, 0), (16, 3, 0), (17, 3, 0), (38, 5, 0), (30, 1, 0), (31, 1, 0), (2, 1, 132), (2, 1, 262),
              (2, 5, 132), (10, 1, 256))
    for family, kind, protocol in others:
        bad = refused(lambda: socket.socket(family, kind, protocol).close(), errno.EPERM, errno.EAFNOSUPPORT)
        if bad:
            return "family %d type %d protocol %d: %s" % (family, kind, protocol, bad)


def message(kind, **more):
    return json.dumps(dict(more, kind=kind)).encode()


def take_connections(supervisor):
    """Accepts connections to 127.77.0.1:443 and greets the client."""
    while True:
        data, ancillary, _, _ = supervisor.recvmsg(4096, 64)
        asked = json.loads(data or b"{}")
        if asked.get("kind") != "connect":
            continue
        fds = array.array("i", ancillary[0][2])
        with socket.socket(fileno=fds[0]) as s:
            ok = asked["to"] == "127.77.0.1:443"
            supervisor.send(message("verdict", id=asked["id"], errno=0 if ok else errno.ECONNREFUSED))
            if ok:
                s.sendall(b"hello from Airlock")
                s.recv(1)


@control("connections go to Airlock alone")
def _():
    "connected to a mediated address, blocking and not, while other threads rewrote the address"
    supervisor = socket.socket(fileno=os.dup(3))
    supervisor.send(message("hello"))
    if json.loads(supervisor.recv(4096) or b"{}").get("kind") != "welcome":
        return "no answer from the supervisor"
    threading.Thread(target=take_connections, args=(supervisor,), daemon=True).start()
    for timeout in (None, 2):
        with socket.socket() as s:
            s.settimeout(timeout)
            s.connect(("127.77.0.1", 443))
            got = s.recv(100)
            s.sendall(b"x")
            if got != b"hello from Airlock" or s.gettimeout() != timeout or os.get_inheritable(s.fileno()):
                return "got %r" % got
    bad = each([(a, tcp((a, p))) for a, p in (("127.77.0.1", 80), ("127.0.0.1", facts["port"]), ("8.8.8.8", 443))],
            *nowhere)
    if bad:
        return bad
    # The address changes all the time. Whichever the supervisor reads, nobody else may be reached.
    def address(port, ip):
        return struct.pack("=H", 2) + struct.pack(">H4s8x", port, socket.inet_aton(ip))
    allowed, forbidden = address(443, "127.77.0.1"), address(facts["port"], "127.0.0.1")
    buffer = ctypes.create_string_buffer(forbidden, 16)
    stop = threading.Event()
    def rewrite():
        while not stop.is_set():
            ctypes.memmove(buffer, allowed, 16)
            ctypes.memmove(buffer, forbidden, 16)
    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        for _ in range(200):
            with socket.socket() as s:
                if libc.connect(s.fileno(), buffer, 16) == 0:
                    if s.recv(100) != b"hello from Airlock":
                        return "somebody else answered"
    finally:
        stop.set()
        thread.join()


def in_child(attempt):
    """Runs attempt in a process of its own, which a call that isn't refused may change for good."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(w, (attempt() or "all refused").encode())
        finally:
            os._exit(0)
    os.close(w)
    answer = os.read(r, 100).decode()
    os.close(r)
    os.waitpid(pid, 0)
    return None if answer == "all refused" else answer or "the process that tried said nothing"


@control("no new namespaces")
def _():
    "unshared and cloned each kind"
    return in_child(new_namespace)


@control("kernel surface is closed")
def _():
    "called mount, ptrace, bpf, io_uring, keyrings, System V IPC, message queues and others"
    return in_child(open_call)


@control("files are limited each")
def _():
    "wrote a file past the limit and made a sparse one"
    try:
        with open("long", "wb", buffering=0) as f:
            return each([
                ("write", lambda: [f.write(b"x" * 65536) for _ in range(2 * facts["tmp"] >> 16)]),
                ("truncate", lambda: f.truncate(1 << 40)),
            ], errno.EFBIG)
    finally:
        os.unlink("long")


def daemon():
    """Leaves a process that ignores all signals, and returns its number."""
    r, w = os.pipe()
    for _ in range(200):  # the supervisor may still count processes that have just ended
        try:
            pid = os.fork()
            break
        except BlockingIOError:
            time.sleep(0.01)
    if pid == 0:
        os.setsid()
        pid = os.fork()
        if pid == 0:
            signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
            time.sleep(1000)
        os.write(w, b"%d" % pid)
        os._exit(0)
    os.wait()
    return int(os.read(r, 20))


def finish():
    return {"daemon": daemon()}
