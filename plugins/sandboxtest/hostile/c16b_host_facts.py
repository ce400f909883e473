# C16 reads about the host's kernel and disks in /proc
for name in ("cmdline", "partitions", "diskstats", "interrupts", "modules", "swaps", "keys",
             "sys/kernel/random/boot_id"):
    try:
        if open("/proc/" + name).read():
            breach("/proc/" + name)
    except OSError:
        pass
held()
