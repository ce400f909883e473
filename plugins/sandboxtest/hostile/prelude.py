# Runs before every hostile script. A script calls held() when everything that it tried was refused;
# anything else is a breach.
import ctypes, errno, os, platform, signal, socket, subprocess, sys, threading, time

RESTRICTED = False  # replaced with True in boxes of the restricted tier, which promises less
TMP = os.environ["TMPDIR"]  # where a script may write

_libc = ctypes.CDLL(None, use_errno=True)
_numbers = {  # name: (x86_64, aarch64)
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264),
    "mknodat": (259, 33), "ptrace": (101, 117), "process_vm_writev": (311, 271), "process_vm_readv": (310, 270),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "unshare": (272, 97), "setns": (308, 268), "clone": (56, 220),
    "clone3": (435, 435), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "kexec_load": (246, 104), "init_module": (175, 105), "finit_module": (313, 273), "reboot": (169, 142),
    "swapon": (167, 224), "acct": (163, 89), "quotactl": (179, 60), "personality": (135, 92),
    "io_uring_setup": (425, 425), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "chroot": (161, 51), "kcmp": (312, 272), "seccomp": (317, 277), "mlockall": (151, 230), "ioprio_set": (251, 30),
    "fanotify_init": (300, 262), "io_setup": (206, 0), "memfd_create": (319, 279), "delete_module": (176, 106),
}


def syscall(name, *args):
    """Makes a raw system call and returns (value, errno name or None)."""
    number = _numbers[name][0 if platform.machine() == "x86_64" else 1]
    ctypes.set_errno(0)
    value = _libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    return value, (errno.errorcode.get(ctypes.get_errno(), "?") if value == -1 else None)


def breach(what):
    set_result({"breach": what})
    print("BREACH:", what, flush=True)
    os._exit(99)


def refused(what, call, *args, allow=(OSError,)):
    """Makes a call that must raise one of the exceptions; success is a breach."""
    try:
        got = call(*args)
    except allow:
        return
    breach("%s: %r" % (what, got))


def denied(what, name, *args):
    """Makes a raw system call that must be refused, and returns the errno name."""
    value, error = syscall(name, *args)
    if error is None:
        breach("%s: %s returned %d" % (what, name, value))
    return error


def listed(path):
    """Lists a directory. In a restricted box, where all are the host's, that must fail."""
    if not RESTRICTED:
        return os.listdir(path)
    refused("list " + path, lambda: os.listdir(path))
    return []


def processes():
    """Returns the ids of processes, or ids near its own in a restricted box, which can't list."""
    pids = [int(p) for p in listed("/proc") if p.isdigit()]
    return pids or [1, os.getppid()] + list(range(max(os.getpid() - 100, 2), os.getpid()))


def held(data="held"):
    set_result(data)


def http_head(*lines):
    """Returns the lines of a request's head as bytes, with the empty line at its end."""
    return b"\r\n".join(lines) + b"\r\n\r\n"


def raw_http(host, request, port=443, tls=True, name=None, timeout=10):
    """Sends bytes unchanged and returns the whole answer. name is the SNI; "" sends none."""
    import ssl
    s = socket.create_connection((host, port), timeout)
    try:
        if tls:
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            s = context.wrap_socket(s, server_hostname=(host if name is None else name) or None)
        s.sendall(request)
        answer = b""
        while True:
            piece = s.recv(65536)
            if not piece:
                return answer
            answer += piece
    finally:
        s.close()


def status_of(answer):
    """Returns the status code of a raw answer, or 0 if it isn't HTTP."""
    parts = answer.split(b" ", 2)
    return int(parts[1]) if answer.startswith(b"HTTP/1.") and len(parts) > 1 else 0
