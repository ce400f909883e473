# C02 clones into a new user namespace by the raw call
SIGCHLD = 17
for flag in (0x10000000, 0x10000000 | 0x20000, 0x40000000):
    value, error = syscall("clone", flag | SIGCHLD, 0, 0, 0, 0)
    if value == 0:
        os._exit(0)
    if error is None:
        breach("clone made a namespace")
held()
