# C03 enters the namespaces of PID 1
for kind in ("net", "mnt", "user", "pid", "ipc", "uts"):
    refused("open ns", lambda: os.open("/proc/1/ns/" + kind, os.O_RDONLY))
    fd = os.open("/proc/self/ns/" + kind, os.O_RDONLY)
    denied("setns " + kind, "setns", fd, 0)
held()
