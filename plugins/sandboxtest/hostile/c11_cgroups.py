# C11 leaves its cgroup
# restricted: the paths of control groups show; they can neither be read nor written
if RESTRICTED:
    for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/proc/self/cgroup"):
        refused(path, lambda: os.listdir(path) if os.path.isdir(path) else open(path).read())
    for path in ("/sys/fs/cgroup/memory/tasks", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/release_agent"):
        refused("write " + path, lambda: open(path, "w").write("0"))
    held()
    sys.exit()
if os.path.isdir("/sys/fs/cgroup") and os.listdir("/sys/fs/cgroup"):
    breach("/sys/fs/cgroup is there")
for path in ("/sys/fs/cgroup/memory/tasks", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/release_agent"):
    if os.path.exists(path):
        breach(path + " is there")
held()
