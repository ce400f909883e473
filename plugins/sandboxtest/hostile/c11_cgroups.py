# C11 leaves its cgroup
for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory/tasks", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/release_agent"):
    if os.path.exists(path):
        breach(path + " is there")
held()
