# B04 reads and writes the memory of PID 1
for name in ("mem", "environ", "maps", "stack", "auxv", "syscall", "io"):
    for mode in ("rb", "r+b"):
        refused("/proc/1/" + name, lambda: open("/proc/1/" + name, mode).read(1) or breach("opened " + name))
for name in ("fd", "root", "cwd", "exe", "ns/net", "map_files"):
    refused("/proc/1/" + name, os.listdir if name in ("fd", "map_files") else os.readlink, "/proc/1/" + name)
held()
