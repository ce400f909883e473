# B05 traces and rewrites other processes
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
for pid in (1, os.getppid()):
    denied("attach", "ptrace", PTRACE_ATTACH, pid, 0, 0)
    denied("seize", "ptrace", PTRACE_SEIZE, pid, 0, 0)
    buffer = ctypes.create_string_buffer(8)
    class iovec(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]
    v = iovec(ctypes.cast(buffer, ctypes.c_void_p), 8)
    denied("process_vm_writev", "process_vm_writev", pid, ctypes.byref(v), 1, ctypes.byref(v), 1, 0)
    denied("process_vm_readv", "process_vm_readv", pid, ctypes.byref(v), 1, ctypes.byref(v), 1, 0)
    fd, error = syscall("pidfd_open", pid, 0)
    if error is None:
        for n in range(4):
            denied("pidfd_getfd", "pidfd_getfd", fd, n, 0)
    denied("kcmp", "kcmp", pid, os.getpid(), 0, 0, 0)
held()
