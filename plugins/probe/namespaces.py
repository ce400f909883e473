# The controls of all boxes with namespaces. It follows the backend's own part, which defines
# environment (whether PID 1 may have an entry) and no_socket (the errors of missing socket kinds).


@control("environment is empty")
def _():
    "read /proc/1/environ"
    extra = [e for e in read("/proc/1/environ").decode("ascii", "replace").split("\0") if e and not environment(e)]
    return "found " + ", ".join(sorted(e.split("=")[0] for e in extra)) if extra else None


@control("no inherited descriptors")
def _():
    "listed /proc/self/fd"
    return inherited


@control("other processes are hidden")
def _():
    "listed /proc"
    pids = [p for p in os.listdir("/proc") if p.isdigit()]
    return "pid %d, visible: %s" % (os.getpid(), ", ".join(pids)) if os.getpid() != 1 or pids != ["1"] else None


@control("no network")
def _():
    "looked for routes; connected to public, metadata and this host's addresses over TCP and UDP"
    if len(read("/proc/net/route").splitlines()) > 1:
        return "there are routes"
    targets = [("8.8.8.8", 53), ("1.1.1.1", 443), ("169.254.169.254", 80), ("10.0.0.1", 80), ("172.17.0.1", 2375),
               ("192.0.2.1", 80)]
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        for target in targets + [("127.0.0.1", facts["canary"])] * (kind == socket.SOCK_STREAM):
            with socket.socket(socket.AF_INET, kind) as s:
                s.settimeout(0.5)
                bad = refused(lambda: s.connect(target), errno.ENETUNREACH, errno.ECONNREFUSED, errno.EHOSTUNREACH)
                if bad:
                    return "%s:%d: %s" % (target + (bad,))
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as s:
        s.settimeout(0.5)
        unreachable = errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EACCES
        return refused(lambda: s.connect(("2001:4860:4860::8888", 53)), *unreachable)


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
    others = (40, 1), (16, 3), (17, 3), (38, 5), (30, 1), (31, 1), (socket.AF_INET, 3), (socket.AF_INET6, 3)
    for family, kind in others:
        bad = refused(lambda: socket.socket(family, kind).close(), *no_socket)
        if bad:
            return "family %d type %d: %s" % (family, kind, bad)


@control("no new namespaces")
def _():
    "unshared and cloned each kind, entered PID 1's"
    bad = new_namespace()
    if bad:
        return bad
    fd = os.open("/proc/self/ns/net", os.O_RDONLY)
    return None if syscall("setns", fd, 0) == errno.EPERM else "setns"


@control("kernel surface is closed")
def _():
    "called mount, ptrace, bpf, io_uring, keyrings and others"
    return open_call()


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
