# B13 opens the dangerous files of /proc
for path in ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches",
             "/proc/sys/kernel/hostname", "/proc/sys/kernel/modprobe", "/proc/sys/fs/binfmt_misc/register",
             "/proc/1/oom_score_adj", "/proc/sys/net/ipv4/ip_forward"):
    refused("write " + path, lambda: open(path, "w").write("1") and breach("wrote " + path))
refused("kcore", lambda: open("/proc/kcore", "rb").read(4096))
try:
    for line in open("/proc/kallsyms"):
        if not line.startswith("0000000000000000"):
            breach("kernel addresses: " + line)
        break
except OSError:
    pass
held()
