# The controls that bubblewrap's boxes have in a form of their own.
no_socket = errno.EPERM, errno.EAFNOSUPPORT


def environment(entry):
    return entry == "PWD=/tmp"  # set by bwrap


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
    paths = ["/airlock-init", "/proc/sys/kernel/hostname", "/proc/sys/net/ipv4/ip_unprivileged_port_start",
             "/proc/sysrq-trigger"]
    denials = errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT, errno.ETXTBSY
    for path in paths:
        bad = refused(lambda: os.open(path, os.O_WRONLY), *denials)
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


@control("no control groups")
def _():
    "looked for cgroup file systems"
    return "mounted" if b"cgroup" in read("/proc/self/mountinfo") or os.path.exists("/sys") else None
