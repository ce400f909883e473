# C12 looks for what a container runtime may leave behind: open directories of the host (CVE-2024-21626), its sockets, capabilities, writable kernel settings
import stat

for fd in range(3, 1024):
    try:
        kind = os.fstat(fd).st_mode
    except OSError:
        continue
    if stat.S_ISDIR(kind):
        breach("descriptor %d is a directory" % fd)
for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock"):
    refused("connect to " + path, socket.socket(socket.AF_UNIX).connect, path)
for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger"):
    refused("write " + path, os.open, path, os.O_WRONLY)
if RESTRICTED:  # nothing of /proc can be read there
    refused("read /proc/self/status", open, "/proc/self/status")
else:
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(("CapInh", "CapPrm", "CapEff", "CapAmb")) and int(line.split()[1], 16) != 0:
                breach(line)
held()
