# C10 changes its personality and installs filters of its own
denied("personality", "personality", 0x0040000)
class prog(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
allow = ctypes.create_string_buffer(b"\x06\x00\x00\x00\x00\x00\xff\x7f")
p = prog(1, ctypes.cast(allow, ctypes.c_void_p))
# a filter, perhaps with a listener, can only restrict the script further
syscall("seccomp", 1, 8, ctypes.byref(p))
refused("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
held()
