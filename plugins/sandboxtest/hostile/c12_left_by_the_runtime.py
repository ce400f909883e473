# C12 looks for what container runtimes leave behind: directories, sockets, capabilities, settings
import stat

for fd in range(3, 1024):  # open directories of the host: CVE-2024-21626
    try:
        kind = os.fstat(fd).st_mode
    except OSError:
        continue
    if stat.S_ISDIR(kind):
        breach("descriptor %d is a directory" % fd)
for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock"):
    refused("connect to " + path, socket.socket(socket.AF_UNIX).connect, path)
for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/overcommit_memory",
             "/proc/sysrq-trigger"):
    refused("write " + path, os.open, path, os.O_WRONLY)
version = (ctypes.c_uint32 * 2)(0x20080522, 0)  # the third, of this process
sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
if _libc.capget(version, sets) != 0:
    breach("can't read its own capabilities: %s" % os.strerror(ctypes.get_errno()))
if any(sets):
    breach("has capabilities: %s" % list(sets))
for capability in range(64):
    if _libc.prctl(47, 1, capability, 0, 0) == 1:  # PR_CAP_AMBIENT_IS_SET
        breach("capability %d is ambient" % capability)
held()
