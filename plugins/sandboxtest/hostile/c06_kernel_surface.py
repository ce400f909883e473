# C06 C07 calls the parts of the kernel that scripts don't need
buffer = ctypes.create_string_buffer(256)
for name, args in (("bpf", (0, buffer, 128)), ("perf_event_open", (buffer, 0, -1, -1, 0)), ("userfaultfd", (0,)),
                   ("kexec_load", (0, 0, 0, 0)), ("init_module", (buffer, 10, buffer)),
                   ("finit_module", (0, buffer, 0)), ("delete_module", (buffer, 0)),
                   ("reboot", (0xFEE1DEAD, 0x28121969, 0, 0)), ("swapon", (buffer, 0)), ("acct", (0,)),
                   ("quotactl", (0, buffer, 0, buffer)), ("io_uring_setup", (8, buffer)), ("keyctl", (0, -3, 0)),
                   ("add_key", (buffer, buffer, buffer, 1, -3)), ("request_key", (buffer, buffer, 0, -3)),
                   ("fanotify_init", (0, 0))):
    denied(name, name, *args)
held()
