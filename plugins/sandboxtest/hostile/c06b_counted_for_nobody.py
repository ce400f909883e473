# C06b takes what the kernel counts for nobody: compiled filters, asynchronous requests
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


instructions = (ctypes.c_uint64 * 2)(0x7FFF000000000006, 0x7FFF000000000006)  # "return"
program = Program(1, ctypes.cast(instructions, ctypes.c_void_p))
left, right = socket.socketpair()
for option in (26, 51):  # a program on a socket, and one that selects among sockets
    if _libc.setsockopt(left.fileno(), socket.SOL_SOCKET, option, ctypes.byref(program), ctypes.sizeof(program)) == 0:
        breach("option %d" % option)
    if ctypes.get_errno() != errno.EPERM:
        breach("option %d: not refused but %s" % (option, errno.errorcode.get(ctypes.get_errno())))
for option in (50, 52):  # the same, by a loaded program's descriptor
    refused("option %d" % option, left.setsockopt, socket.SOL_SOCKET, option, 0, allow=(PermissionError,))
if _libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0:
    breach("a filter of its own")
denied("a filter of its own", "seccomp", 1, 0, ctypes.byref(program))
denied("asynchronous requests", "io_setup", 30000, ctypes.byref(ctypes.c_ulong(0)))
right.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # scripts need this
held()
