"""Takes three times the memory that a box may have, and prints "kept" if it could.

The first argument names the function that does it, the second is this script.
"""
import ctypes, mmap, os, platform, socket, sys, tempfile, threading, time

MIB = 1 << 20
WANT = 400 * MIB
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
EXIT_THREAD = 60 if platform.machine() == "x86_64" else 93
FAILED = 2**64 - 1


def kept():
    time.sleep(2)
    print("kept", flush=True)
    os._exit(0)


def check(result):
    if result:
        raise OSError(ctypes.get_errno(), "refused")


def fill_and_forget(memory):
    for at in range(0, WANT, 16 * MIB):
        memory[at:at + 16 * MIB] = b"x" * (16 * MIB)
        memory.madvise(mmap.MADV_DONTNEED)
    kept()


def fill_files(keep):
    for _ in range(WANT // (10 * MIB)):
        fd = os.memfd_create("m")
        os.write(fd, b"x" * (10 * MIB))
        keep(fd)
    kept()


def shared():
    fill_and_forget(mmap.mmap(-1, WANT))


def zero():
    fill_and_forget(mmap.mmap(os.open("/dev/zero", os.O_RDWR), WANT))


def page_tables():
    span = WANT * 512
    no_reserve, no_huge_pages = 0x4000, 15
    at = libc.mmap(None, span, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve, -1, 0)
    if at in (None, FAILED):
        raise OSError("no room")
    libc.madvise(at, span, no_huge_pages)
    for n in range(0, span, 2 * MIB):
        ctypes.c_ubyte.from_address(at + n).value
    kept()


def memory_files():
    fill_files(lambda fd: None)


def own_descriptors():
    check(libc.unshare(0x400))
    fill_files(lambda fd: None)


def close_range():
    check(libc.close_range(10000, 10001, 2))
    fill_files(lambda fd: None)


def mapped_files():
    def keep(fd):
        if libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0) in (None, FAILED):
            raise OSError("no room")
        os.close(fd)
    fill_files(keep)


def in_a_socket():
    a, b = socket.socketpair()
    def keep(fd):
        socket.send_fds(a, [b"x"], [fd])
        os.close(fd)
    fill_files(keep)


def become_unreadable(way):
    """Executes a file that may be executed but not read, so that nobody may inspect the process."""
    with open(os.path.realpath("/usr/bin/python3"), "rb") as source, open("program", "wb") as copy:
        copy.write(source.read())
    os.chmod("program", 0o111)
    os.execv("./program", ["/usr/bin/python3", "-s", "-B", "-c", sys.argv[2], way, ""])


def unreadable():
    become_unreadable("memory_files")


def no_first_thread():
    def take():
        time.sleep(0.2)
        held = []
        while len(held) * 10 * MIB < WANT:
            held.append(bytearray(b"x") * (10 * MIB))
            time.sleep(0.05)
        kept()
    threading.Thread(target=take).start()
    libc.syscall(EXIT_THREAD, 0)


def removed_files():
    held = []
    for _ in range(12):
        held.append(tempfile.TemporaryFile(dir="."))
        held[-1].write(b"x" * (5 * MIB))
        held[-1].flush()
    kept()


def unreadable_removed_files():
    become_unreadable("removed_files")


# Threads that unshare something do so apart from the first one, which shows nothing of it.
way = globals()[sys.argv[1]]
if way in (own_descriptors, close_range):
    threading.Thread(target=way).start()
else:
    way()
