# C08 dodges the filter through another calling convention
if platform.machine() == "x86_64":
    pid = os.fork()  # the call may end its process
    if pid == 0:
        # x32 socket(AF_VSOCK)
        os._exit(0 if _libc.syscall(ctypes.c_long(0x40000000 + 41), 40, 1, 0) == -1 else 1)
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1:
        breach("an x32 call went through")
    # mov eax, 20 (getpid in the 32-bit table); int 0x80; ret. The filter ends or refuses it.
    import mmap
    try:
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
        call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
        pid = os.fork()
        if pid == 0:
            os._exit(1 if call() > 0 else 0)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1:
            breach("a 32-bit call went through")
    except (OSError, PermissionError):
        pass
held()
