# H02 asks the kernel to wake it while it is frozen: by timers and by signals of its own choice
import fcntl
class sigevent(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signo", ctypes.c_int), ("notify", ctypes.c_int),
                ("pad", ctypes.c_int * 12)]
number = 222 if platform.machine() == "x86_64" else 107
event, timer = sigevent(None, signal.SIGCONT, 0), ctypes.c_int()
ctypes.set_errno(0)
if _libc.syscall(ctypes.c_long(number), 1, ctypes.byref(event), ctypes.byref(timer)) == 0:
    breach("a timer that sends SIGCONT")
r, w = os.pipe()
refused("F_SETSIG", lambda: fcntl.fcntl(r, 10, signal.SIGCONT))
signal.setitimer(signal.ITIMER_REAL, 100)
signal.setitimer(signal.ITIMER_REAL, 0)
held()
