# E: runs into every limit.
import errno, os, resource, socket, sys, threading

# A restricted box that exceeds the sum of all files is ended, which would end this script.
restricted = sys.argv[5] == "restricted"


def limited(what, act, bound, *errnos):
    """Runs act until it fails, which must be in time and with one of the error numbers."""
    kept = []
    try:
        for i in range(bound + 1):
            kept.append(act(i))
        print(what, "was not limited at", bound)
    except OSError as e:
        if e.errno not in errnos:
            print(what, repr(e))
    return kept


for fd in limited("open files", lambda i: os.open("/dev/null", os.O_RDONLY), 64, errno.EMFILE):
    os.close(fd)

# Files: neither long, nor sparse, nor many bytes.
f = open("sparse", "wb")
for size in (1 << 40, (9 if restricted else 65) << 20):  # one file of /dev/shm may take half the memory
    try:
        f.truncate(size)
        print("a file of", size)
    except OSError as e:
        if e.errno != errno.EFBIG:
            print(repr(e))
f.close()
os.unlink("sparse")
for directory, limit in ((".", 8 << 20), ("/dev/shm", 64 << 20))[:1 if restricted else 2]:
    written = 0
    for i in range(1 if restricted else 20):
        try:
            with open("%s/%d" % (directory, i), "wb", buffering=0) as f:
                while written <= limit:
                    written += f.write(b"x" * 65536)
        except OSError as e:
            if e.errno not in (errno.ENOSPC, errno.EFBIG):
                print(repr(e))
    if written > limit:
        print(directory, "holds", written)
    for name in os.listdir(directory):
        os.unlink(directory + "/" + name)

# Threads. The limit counts them like processes.
stop = threading.Event()
threads = []
try:
    for i in range(100):
        threads.append(threading.Thread(target=stop.wait))
        threads[-1].start()
    print("a hundred threads")
except RuntimeError:
    pass
stop.set()
for t in threads:
    if t.ident:
        t.join()

# Budgets that belong to the uid, and so to every box.
for what, name in (("locked memory", "RLIMIT_MEMLOCK"), ("message queues", "RLIMIT_MSGQUEUE"),
                   ("core files", "RLIMIT_CORE")):
    if resource.getrlimit(getattr(resource, name, 12)) != (0, 0):
        print(what)
try:
    os.openpty()
    print("a pty")
except OSError:
    pass
for name in ("RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_FSIZE"):
    soft, hard = resource.getrlimit(getattr(resource, name))
    try:
        resource.setrlimit(getattr(resource, name), (soft, hard + 1))
        print("raised", name)
    except (ValueError, OSError):
        pass
