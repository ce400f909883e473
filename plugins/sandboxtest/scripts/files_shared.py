# A, where the box shares the host's file system: all of it but the runtime and the box's own
# directory must stay closed.
import errno, os, stat, sys

port, canary, state = int(sys.argv[1]), sys.argv[2], sys.argv[3]
home = os.getcwd()

for path in ("/etc/shadow", "/etc/passwd", "/etc/hosts", "/etc/resolv.conf", "/root", "/home", "/var", "/data", "/sys",
             "/run", "/proc", "/proc/kcore", "/proc/net/tcp", "/proc/self/environ", "/dev", "/dev/shm", "/tmp", "/",
             "/var/run/docker.sock", canary, os.path.dirname(canary), state):
    for prefix in ("", "/..", home + "/../../..", "/proc/self/root", "/proc/1/root", "/proc/self/cwd/../.."):
        try:
            fd = os.open(prefix + path, os.O_RDONLY)
            print("opened", prefix + path, os.readlink("/proc/self/fd/%d" % fd))
        except OSError:
            pass
os.symlink(canary, "link")
for name in ("link", "/proc/self/cwd/link"):
    try:
        os.open(name, os.O_RDONLY)
        print("followed", name)
    except OSError:
        pass
for act in (lambda: os.link(canary, "hard"), lambda: os.rename(canary, "mine"), lambda: os.unlink(canary),
            lambda: os.truncate(canary, 0), lambda: os.chmod(canary, 0o777), lambda: os.chmod("link", 0o777),
            lambda: os.utime(canary), lambda: os.chown(canary, os.getuid(), os.getgid()),
            lambda: os.chmod(state, 0o777), lambda: os.mkdir(state + "/x"),
            lambda: os.mkdir(os.path.dirname(home) + "/x"), lambda: os.rmdir(home),
            lambda: os.rename(home, home + "x"), lambda: os.rename("/usr/bin/env", "env"),
            lambda: os.chmod("/usr/bin/env", 0o777), lambda: os.utime("/usr/bin/env"),
            lambda: os.setxattr(canary, "user.x", b"")):
    try:
        act()
        print("changed something of the host")
    except OSError:
        pass
for directory in ("/", "/usr", "/usr/bin", "/usr/local", "/etc", "/dev", "/dev/shm", "/dev/pts", "/proc", "/lib",
                  "/tmp", "/var/tmp", "/run", state):
    try:
        open(directory + "/planted", "w")
        print("wrote to", directory)
    except OSError:
        pass
for path in ("/usr/bin/env", "/etc/passwd", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger",
             "/proc/self/oom_score_adj", "/proc/1/oom_score_adj", "/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda",
             "/dev/kvm", "/dev/fuse", "/dev/ptmx", "/dev/tty", "/dev/net/tun"):
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_ACCMODE):  # the last opens for neither
        try:
            os.open(path, flags)
            print("opened for writing", path)
        except OSError:
            pass
for kind, name in ((stat.S_IFBLK, "b"), (stat.S_IFCHR, "c")):
    try:
        os.mknod(name, kind | 0o666, os.makedev(8, 0))
        print("made a device")
    except OSError:
        pass

# In its own directory everything works.
os.makedirs("a/b")
open("a/b/c", "w").write("x")
os.rename("a/b/c", "a/c")
os.link("a/c", "a/b/d")
os.chmod("a/c", 0o4751)
os.utime("a/c", ns=(1, 2 * 10**9))
info = os.stat("a/c")
if stat.S_IMODE(info.st_mode) != 0o751 or info.st_mtime != 2:
    print("mode %o, time %d" % (info.st_mode, info.st_mtime))
import shutil, tempfile
shutil.copy("a/c", "copy")
shutil.copytree("a", "tree")
shutil.rmtree("tree")
if os.path.dirname(tempfile.mkdtemp(dir=".")) not in (".", home):
    print("no temporary directories")
