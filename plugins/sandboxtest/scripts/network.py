# D, for the box itself: tries every way out, of which only the pipe may exist.
import errno, os, socket, sys

port = int(sys.argv[1])
v4 = ["8.8.8.8", "1.1.1.1", "169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "10.0.0.1",
      "172.17.0.1", "192.168.0.1"]
v6 = ["2001:4860:4860::8888", "fd00:ec2::254", "fe80::1"]
refusals = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ECONNREFUSED, errno.EADDRNOTAVAIL, errno.EACCES, errno.EPERM,
            errno.EINVAL)


def attempt(what, act):
    try:
        act()
        print("reached", what)
    except OSError as e:
        if e.errno not in refusals:
            print(what, repr(e))


for family, hosts in ((socket.AF_INET, v4), (socket.AF_INET6, v6)):
    for host in hosts:
        for p in (53, 80, 443, port):
            with socket.socket(family, socket.SOCK_STREAM) as s:
                s.settimeout(1)
                attempt("tcp %s %d" % (host, p), lambda: s.connect((host, p)))
            with socket.socket(family, socket.SOCK_DGRAM) as s:
                attempt("udp %s %d" % (host, p), lambda: s.sendto(b"x", (host, p)))
for host in ("127.0.0.1", "127.1.2.3", "0.0.0.0", "localhost"):
    for p in (port, 9090):
        with socket.socket() as s:
            attempt("loopback %s %d" % (host, p), lambda: s.connect((host, p)))
with socket.socket(socket.AF_INET6) as s:
    attempt("::1", lambda: s.connect(("::1", port)))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    attempt("broadcast", lambda: s.sendto(b"x", ("255.255.255.255", 67)))
    attempt("multicast", lambda: s.sendto(b"x", ("224.0.0.251", 5353)))

try:
    print("resolved", socket.getaddrinfo("example.com", 80))
except socket.gaierror:
    pass

for family in range(1, 46):
    if family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6):
        continue
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            socket.socket(family, kind)
            print("socket", family, kind)
        except OSError as e:
            if e.errno not in (errno.EAFNOSUPPORT, errno.EPERM):
                print("socket", family, kind, repr(e))
for family in (socket.AF_INET, socket.AF_INET6):
    for kind in (socket.SOCK_RAW, 10, socket.SOCK_RAW | socket.SOCK_CLOEXEC):
        try:
            socket.socket(family, kind, socket.IPPROTO_ICMP)
            print("raw socket", family, kind)
        except OSError:
            pass
try:
    s = socket.socket(40, 1)
    s.connect((2, 1024))
    print("vsock")
except OSError:
    pass

# Loopback is the box's own, with every port.
for address in (("127.0.0.2", 53), ("127.66.0.1", 443), ("127.0.0.1", 1)):
    with socket.socket() as l, socket.socket() as c:
        l.bind(address)
        l.listen()
        c.connect(address)
