# D, where the box shares the host's network: tries every way out. Only the supervisor may make one,
# and it accepts nothing here, because no guest asks it to.
import ctypes, errno, os, socket, struct, sys, threading

port = int(sys.argv[1])
refusals = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ECONNREFUSED, errno.EADDRNOTAVAIL)


def attempt(what, act, allowed=refusals):
    try:
        act()
        print("reached", what)
    except OSError as e:
        if e.errno not in allowed:
            print(what, repr(e))


def connect(family, address):
    with socket.socket(family) as s:
        s.settimeout(1)
        s.connect(address)


v4 = ["8.8.8.8", "1.1.1.1", "169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "10.0.0.1",
      "172.17.0.1", "192.168.0.1", "127.0.0.1", "127.1.2.3", "0.0.0.0", "255.255.255.255", "224.0.0.1"]
v6 = ["2001:4860:4860::8888", "fd00:ec2::254", "::1", "::", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1",
      "64:ff9b::7f00:1"]
for family, hosts in ((socket.AF_INET, v4), (socket.AF_INET6, v6)):
    for host in hosts:
        for p in (53, 80, 443, port, 9090):
            attempt("%s %d" % (host, p), lambda: connect(family, (host, p)))
for address in ("\0airlock-test", "/dev/log", "/run/docker.sock", "/var/run/nscd/socket", "x"):
    attempt(repr(address), lambda: connect(socket.AF_UNIX, address))

# Ways around connect.
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_RDM, 10):
        attempt("socket %d %d" % (family, kind), lambda: socket.socket(family, kind),
                (errno.EPERM, errno.ESOCKTNOSUPPORT))
attempt("pair of datagrams", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM), (errno.EPERM,))
there = ("127.0.0.1", port)
for flags in (0x20000000, 0x20000000 | socket.MSG_DONTWAIT, 0x20000000 | socket.MSG_NOSIGNAL):
    with socket.socket() as s:
        attempt("sendto", lambda: s.sendto(b"x", flags, there), (errno.EPERM,))
        attempt("sendmsg", lambda: s.sendmsg([b"x"], [], flags, there), (errno.EPERM,))
with socket.socket() as s:
    attempt("fast open", lambda: s.setsockopt(6, 30, 1), (errno.EPERM,))
    attempt("sendto without the flag", lambda: s.sendto(b"x", there), (errno.EPIPE, errno.ENOTCONN))
for family, address in ((socket.AF_INET, ("0.0.0.0", 0)), (socket.AF_INET, ("127.0.0.1", 53)),
                        (socket.AF_INET6, ("::", 0)), (socket.AF_UNIX, "sock"), (socket.AF_UNIX, "\0x")):
    with socket.socket(family) as s:
        attempt("bind", lambda: s.bind(address), (errno.EPERM,))
        attempt("listen", s.listen, (errno.EPERM,))
try:
    print("interfaces", socket.if_nameindex())
except OSError:
    pass
try:
    print("resolved", socket.getaddrinfo("example.com", 80))
except socket.gaierror:
    pass
for family in range(1, 46):
    if family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6):
        continue
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        attempt("socket %d %d" % (family, kind), lambda: socket.socket(family, kind), (errno.EAFNOSUPPORT, errno.EPERM))

# An address that another thread rewrites all the time.
libc = ctypes.CDLL(None, use_errno=True)
pack = lambda host, p: struct.pack("=H", 2) + struct.pack(">H4s8x", p, socket.inet_aton(host))
buffer, stop = ctypes.create_string_buffer(pack("127.64.1.1", 443), 16), threading.Event()
def rewrite():
    while not stop.is_set():
        ctypes.memmove(buffer, pack("127.64.1.1", 443), 16)
        ctypes.memmove(buffer, pack("127.0.0.1", port), 16)
thread = threading.Thread(target=rewrite)
thread.start()
for _ in range(300):
    with socket.socket() as s:
        if libc.connect(s.fileno(), buffer, 16) == 0:
            print("reached something by a race")
stop.set()
thread.join()

# Descriptors that connect doesn't expect, and memory that doesn't exist.
for fd, address, size in ((0, buffer, 16), (999, buffer, 16), (1, buffer, 0),
                          (socket.socket().detach(), ctypes.c_void_p(8), 16), (socket.socket().detach(), buffer, 1)):
    if libc.connect(fd, address, size) != -1:
        print("connected nonsense")
# A child that shares everything until it executes, and one that doesn't.
import subprocess
code = "import socket; socket.create_connection(('8.8.8.8', 53), 1)"
if subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL, close_fds=False).returncode == 0:
    print("a child connected")
