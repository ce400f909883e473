# A: tries files of the host, writes, links, devices and mounts.
import errno, os, stat, subprocess, sys

port, canary, state = int(sys.argv[1]), sys.argv[2], sys.argv[3]


def null(s):
    return stat.S_ISCHR(s.st_mode) and s.st_rdev == os.makedev(1, 3)


def bare(folder):
    """Tells whether a directory has nothing but the mount points of /sys."""
    return all(not files and set(dirs) <= {"fs", "cgroup"} for _, dirs, files in os.walk(folder))


# Nothing of the host is there, by any path.
for path in ("/etc/shadow", "/root/.ssh", "/home", "/var", "/data", "/sys", "/run", "/var/run/docker.sock",
             "/proc/kcore", canary, state):
    for prefix in ("", "/..", "/tmp/../../..", "/proc/self/root", "/proc/1/root", "/proc/self/cwd/../.."):
        try:
            fd = os.open(prefix + path, os.O_RDONLY)
        except OSError:
            continue
        # What can't be left out is covered by the null device or an empty directory.
        covered = null(os.fstat(fd)) or path == "/sys" and bare(prefix + path)
        if not covered:
            print("opened", prefix + path)
known = {".dockerenv", "airlock-init", "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys",
         "tmp", "usr"}
if set(os.listdir("/")) - known:
    print("root has", set(os.listdir("/")) - known)
if set(l.split(":")[0] for l in open("/etc/passwd")) != {"nobody"}:
    print("passwd is the host's")

# Nothing can be written but /tmp and /dev/shm.
for directory in ("/", "/usr", "/usr/bin", "/usr/local", "/etc", "/dev", "/dev/pts", "/dev/mqueue", "/sys", "/proc",
                  "/proc/sys", "/lib"):
    try:
        open(directory + "/planted", "w")
        print("wrote to", directory)
    except OSError:
        pass
for path in ("/airlock-init", "/usr/bin/env", "/etc/passwd", "/etc/resolv.conf", "/proc/sys/kernel/core_pattern",
             "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches", "/proc/sys/net/ipv4/ip_forward",
             "/proc/1/oom_score_adj"):
    try:
        os.open(path, os.O_WRONLY)
        print("opened for writing", path)
    except OSError:
        pass
for act in (lambda: os.link("/usr/bin/env", "/tmp/env"), lambda: os.rename("/usr/bin/env", "/tmp/env"),
            lambda: os.unlink("/etc/passwd"), lambda: os.chmod("/usr/bin/env", 0o777),
            lambda: os.chown("/usr/bin/env", 65534, 65534), lambda: os.utime("/usr/bin/env")):
    try:
        act()
        print("changed a file of the runtime")
    except OSError:
        pass

# Its own set-user-id file changes nothing, if it can be run at all.
with open("/tmp/s", "wb") as f:
    f.write(open("/usr/bin/id", "rb").read())
os.chmod("/tmp/s", 0o6755)
try:
    if b"uid=65534(nobody) gid=65534(nogroup)" not in subprocess.run(["/tmp/s"], stdout=subprocess.PIPE).stdout:
        print("set-user-id worked")
except PermissionError:
    pass

# Devices.
for kind, name in ((stat.S_IFBLK, "b"), (stat.S_IFCHR, "c")):
    try:
        os.mknod("/tmp/" + name, kind | 0o666, os.makedev(8, 0))
        print("made a device")
    except OSError:
        pass
extra = set(os.listdir("/dev")) - {"null", "zero", "full", "random", "urandom", "tty", "core", "fd", "stdin", "stdout",
                                   "stderr", "shm", "pts", "ptmx", "mqueue"}
if extra:
    print("devices", extra)
for path in ("/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/kvm", "/dev/fuse", "/dev/ptmx", "/dev/core",
             "/dev/tty", "/dev/net/tun"):
    try:
        if not null(os.fstat(os.open(path, os.O_RDWR))):
            print("opened", path)
    except OSError:
        pass
