# The controls that containers have in a form of their own.
import stat

no_socket = errno.EPERM, errno.EAFNOSUPPORT, errno.EACCES, errno.EPROTONOSUPPORT
calls.update(mq_open=(240, 180), sethostname=(170, 161), settimeofday=(164, 170))


def environment(entry):
    return entry.startswith("HOME=")  # set by runc


def mounts():
    """Yields mount point, options, file system."""
    for line in read("/proc/self/mountinfo").decode().splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        yield fields[4], fields[5].split(","), after.split()[0]


def harmless(point):
    """Tells whether a mount is a device of every container: rootless engines can't make those."""
    devices = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9), "tty": (5, 0)}
    directory, name = os.path.split(point)
    if directory != "/dev" or name not in devices:
        return False
    s = os.stat(point)
    return stat.S_ISCHR(s.st_mode) and (os.major(s.st_rdev), os.minor(s.st_rdev)) == devices[name]


@control("host files are hidden")
def _():
    "read the mount table, looked for files of the host and for the engine's socket"
    expected = {"/", "/proc", "/dev", "/dev/shm", "/dev/pts", "/dev/mqueue", "/tmp", "/sys", "/sys/fs/cgroup",
                "/etc/resolv.conf", "/etc/hostname", "/etc/hosts"}
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
    directories = ["/", "/usr", "/usr/bin", "/etc", "/dev", "/usr/local", "/var/tmp", "/var", "/home", "/root", "/run",
                   "/sys", "/dev/pts", "/dev/mqueue", "/proc"]
    for directory in directories:
        path = directory.rstrip("/") + "/x"
        bad = refused(lambda: os.open(path, os.O_CREAT | os.O_WRONLY), errno.EROFS, errno.ENOENT, errno.EACCES)
        if bad:
            return path + ": " + bad
    paths = ["/airlock-init", "/etc/passwd", "/etc/resolv.conf", "/etc/hosts", "/proc/sys/kernel/hostname",
             "/proc/sys/kernel/core_pattern", "/proc/sys/net/ipv4/ip_unprivileged_port_start", "/proc/sysrq-trigger"]
    denials = errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT, errno.ETXTBSY
    for path in paths:
        bad = refused(lambda: os.open(path, os.O_WRONLY), *denials)
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


@control("no interfaces")
def _():
    "read /proc/net/dev"
    interfaces = {l.split(":")[0].strip() for l in read("/proc/net/dev").decode().splitlines()[2:]}
    # kernels put these into every namespace, down
    tunnels = {"tunl0", "sit0", "ip6tnl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "ip6gre0"}
    return "interfaces: " + ", ".join(sorted(interfaces)) if interfaces - tunnels - {"lo"} else None


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


@control("no control groups")
def _():
    "looked for cgroup and sysfs file systems"
    unwanted = {"cgroup", "cgroup2", "sysfs", "debugfs", "tracefs", "securityfs", "bpf"}
    kinds = sorted({kind for _, _, kind in mounts()} & unwanted)
    return "mounted: " + ", ".join(kinds) if kinds else None


@control("no devices and terminals")
def _():
    "listed /dev, opened a pty"
    allowed = "null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "core"
    for name in os.listdir("/dev"):
        s = os.stat("/dev/" + name) if os.path.exists("/dev/" + name) else None
        if s and stat.S_ISBLK(s.st_mode):
            return name
        if s and stat.S_ISCHR(s.st_mode) and name not in allowed:
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
