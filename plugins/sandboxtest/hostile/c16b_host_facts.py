# C16 reads what /proc tells of the host's kernel and disks
for name in ("cmdline", "partitions", "diskstats", "interrupts", "modules", "swaps", "keys", "sys/kernel/random/boot_id"):
    try:
        if open("/proc/" + name).read():
            breach("/proc/" + name)
    except OSError:
        pass
held()
