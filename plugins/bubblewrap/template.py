# A template: an interpreter that has met no profile, secret or policy, and makes boxes by forking.
# It is PID 1 of a sandbox that bwrap made, with capabilities in that user namespace only, and has
# one thread. The plugin sends this source, then the plan for all boxes, then a request for each.
#
# serve returns in the interpreter of a box, in the state of a fresh one. In the template it returns
# only after a program for all boxes was given.
import atexit  # runners import these and the next, some while they wait, so they stay imported
import datetime
import decimal
import json
import select
import threading
import traceback
import os
import sys

LOADED = set(sys.modules)

import _signal
import _socket
import _thread
import _warnings
import builtins
import codecs
import ctypes
import errno
import fcntl
import gc
import resource
import struct
import time

CONTROL_FD = 4  # of a template when it begins; 3 is the guest's program
GUESTS_FD = 4  # of the process that serves its boxes
PROGRAM_FD = 4  # of the source that interpreters run
FIRST_FREE_FD = 4  # in a box
ABOVE = 10  # above every descriptor that a box begins with
ROOT = "/tmp/box"  # of boxes; see package template
MASK = "/tmp/mask"  # hides files of /proc in boxes; mounted here with the flags that it has there

MAX_MESSAGE = 1 << 18
MAX_FDS = 16
NOBODY = 65534
CAPABILITY_VERSION = 0x20080522

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC = 1, 2, 4, 8, 32, 4096, 16384
MNT_DETACH = 2
CLONE_NEWCGROUP = 0x2000000
CLONE_NEW = 0x20000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000  # mnt, uts, ipc, user, pid, net
PR_SET_DUMPABLE, PR_SET_NAME, PR_SET_SECCOMP = 4, 15, 22
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 24, 38, 47
PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP = 28, 4
SECCOMP_MODE_FILTER, PR_CAP_AMBIENT_CLEAR_ALL = 2, 4
SIOCSIFFLAGS, IFF_UP, IFF_RUNNING = 0x8914, 1, 0x40
SO_ATTACH_FILTER = 26
SYN_BUFFER = 64 << 10  # bytes
RESOLVER = "127.0.0.1", 53

libc = ctypes.PyDLL(None, use_errno=True)


template = None  # the Template of this process; False in a box
compiles = False  # whether Airlock asks for the code that this interpreter compiles


def serve():
    """Serves requests until the plugin ends.

    Returns in the interpreter of a box, with its descriptors and environment, and in the template
    when a program was given for all boxes.
    """
    global template
    if template is None:
        template = begin()
    if template:
        sys.path_importer_cache.clear()
        gc.collect()
        gc.freeze()  # so that a box's collections don't touch, and thus copy, these objects
        template.serve()
    return compiles


def begin():
    moved = fcntl.fcntl(CONTROL_FD, fcntl.F_DUPFD_CLOEXEC, ABOVE)
    control = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, moved)
    plan, _ = receive(control)
    plan["title"] = Title()
    begun = Template(control, plan)
    for name in set(sys.modules) - LOADED:
        del sys.modules[name]
    answer = preload(plan["imports"], plan["tried"])
    write(MASK, "")
    mount("/dev/null", MASK, None, MS_BIND)
    mount(None, MASK, None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)
    control.send(json.dumps(answer).encode())
    return begun


class Template:
    def __init__(self, control, plan):
        self.control = control
        self.plan = plan
        self.poll = select.epoll()
        self.poll.register(control.fileno(), select.EPOLLIN)
        self.loaded = False
        self.boxes = {}  # by pidfd: the pid, and the descriptor for the exit report
        self.null = os.open("/dev/null", os.O_RDWR)
        self.guests = start_guests(plan)
        if self.guests:
            self.poll.register(self.guests, select.EPOLLIN)

    def serve(self):
        while True:
            for fd, _ in self.poll.poll():
                if fd in self.boxes:
                    self.report(fd)
                    continue
                message, fds = receive(self.control if fd == self.control.fileno() else self.guests)
                if message is None:
                    os._exit(0)  # every box ends with this namespace, whichever side ended first
                if fd == self.control.fileno():
                    if self.open(message, fds):
                        return
                elif self.load(*fds):
                    return

    def load(self, program):
        """Takes the program of all interpreters, once and before any script.

        A box that has run a script must not determine what others run.
        """
        if self.loaded:
            os._exit(1)
        os.dup2(program, PROGRAM_FD)
        os.close(program)
        self.loaded = True
        return True

    def open(self, request, fds):
        """Forks a box. Returns True in its interpreter only.

        fds are its stdin, stdout, stderr and status, then a cgroup.procs of each hierarchy.
        """
        streams, groups = fds[:4], fds[4:]
        ready, go = os.pipe()
        link, watched = None, False
        try:
            if request["waits"]:
                link = self.pass_on(streams)
            clone = self.plan["clone"], CLONE_NEW | _signal.SIGCHLD, 0, 0, 0, 0
            pid = call("syscall", *map(ctypes.c_long, clone))
            if pid == 0:
                return self.enter(request, streams, link, ready, go)
            self.watch(pid, streams[3])
            watched = True
            self.admit(pid, request["uid"], groups)
            os.write(go, b"1")
        except OSError as error:
            complain(streams[2], error)
        if link:
            link.close()
        for fd in (ready, go, *streams[:3], *groups):
            os.close(fd)
        if not watched:
            os.close(streams[3])
        return False

    def pass_on(self, streams):
        """Gives the guests a box's stdio, and returns its PID 1's end of a link to them."""
        mine, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        send(self.guests, {}, *streams[:3], theirs.fileno())
        theirs.close()
        for number in (0, 1):
            os.dup2(self.null, streams[number], inheritable=False)
        return mine

    def enter(self, request, streams, link, ready, go):
        """Becomes the box, in the forked process."""
        try:
            os.close(go)
            if os.read(ready, 1):  # else the template failed, and has reported it
                global template
                template = False
                self.poll.close()
                self.control.detach()
                if self.guests:
                    self.guests.detach()
                become_box({**self.plan, "loaded": self.loaded}, request, streams, link)
                return True
        except BaseException as error:
            complain(2, error)
        os._exit(1)

    def watch(self, pid, status):
        pidfd = os.pidfd_open(pid)
        self.boxes[pidfd] = pid, status
        self.poll.register(pidfd, select.EPOLLIN)

    def admit(self, pid, uid, groups):
        """Gives a forked process its uid and its limits."""
        # this process maps the uid, because a new namespace may map only its creator's
        write("/proc/%d/setgroups" % pid, "deny")
        for name in ("gid_map", "uid_map"):
            write("/proc/%d/%s" % (pid, name), "%d %d 1" % (NOBODY, uid))
        for group in groups:
            os.write(group, b"%d" % pid)

    def report(self, pidfd):
        """Reports how a box ended, as bwrap does."""
        pid, status = self.boxes.pop(pidfd)
        self.poll.unregister(pidfd)
        os.close(pidfd)
        code = os.waitpid(pid, 0)[1]
        code = 128 + os.WTERMSIG(code) if os.WIFSIGNALED(code) else os.WEXITSTATUS(code)
        try:
            os.write(status, b'{"exit-code": %d}\n' % code)
        except OSError:
            pass  # nobody waits for the report any more
        os.close(status)


def start_guests(plan):
    """Starts the process that serves all boxes from outside, and returns a socket to it.

    Returns None if each box serves itself.
    """
    if not plan["guests"]:
        return None
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        try:
            os.dup2(theirs.fileno(), GUESTS_FD)
            prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP)  # keeps capabilities until confine
            os.setresgid(plan["uid"], plan["uid"], plan["uid"])
            os.setresuid(plan["uid"], plan["uid"], plan["uid"])
            confine(bytes.fromhex(plan["filter"]))
            os.execve(plan["guests"][0], plan["guests"], {"GOMEMLIMIT": str(plan["memory"])})
        except OSError as error:
            complain(2, error)
        finally:
            os._exit(1)
    theirs.close()
    return ours


def become_box(plan, request, streams, link):
    """Makes this process PID 1 of a box. Returns in the interpreter beside it, if there is one."""
    kept = [streams[3]] if link is None else [streams[3], link.detach()]
    status, *kept = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, ABOVE) for fd in kept]
    for number, fd in enumerate(streams[:3]):
        os.dup2(fd, number)
    close_others(status, *kept)

    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.setsid()
    call("unshare", CLONE_NEWCGROUP)  # now that it is in its group, so that it sees none above
    _socket.sethostname(plan["hostname"])
    prepare_network(plan)
    sockets = name_sockets(plan) if kept else []
    mount_own(plan, request)
    write("/proc/sys/user/max_user_namespaces", "0")
    for kind, value in request["rlimits"]:
        most = resource.getrlimit(kind)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(kind, (value, value))
    confine(bytes.fromhex(plan["filter"]))

    if kept:
        link = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, kept[0])
        if fork_interpreter(plan, request, link, sockets, status):
            return
    os.write(status, b'{"ready": true}\n')
    os.execve(request["command"][0], request["command"], {})


def fork_interpreter(plan, request, link, sockets, status):
    """Forks the interpreter, where it returns True, and serves as PID 1 beside it."""
    mine, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        mine.detach(), link.detach()
        wait(theirs.detach())
        return True
    write("/proc/self/oom_score_adj", "1000")  # the kernel ends the box as a whole
    prctl(PR_SET_DUMPABLE, 0)
    plan["title"].put(request["command"][0])
    proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    send(link, {"born": {"pid": pid, "loaded": plan["loaded"]}}, mine.fileno(), proc, *sockets)
    for fd in (mine.detach(), theirs.detach(), proc, *sockets):
        os.close(fd)
    os.write(status, b'{"ready": true}\n')
    os.close(status)
    try:
        PID1(plan, request, link, pid).serve()
    except OSError:
        pass  # the link ended with unread messages
    os._exit(0)


class Title:
    """Sets the command line that the kernel shows for this process and its forks."""

    def __init__(self):
        with open("/proc/self/stat") as file:
            self.start, self.end = map(int, file.read().rpartition(")")[2].split()[45:47])

    def put(self, name):
        short = ctypes.create_string_buffer(os.path.basename(name).encode())
        prctl(PR_SET_NAME, ctypes.addressof(short))
        text = name.encode() + bytes(1)
        ctypes.memmove(self.start, text, len(text))
        ctypes.memset(self.end - 1, 1, 1)  # makes the kernel end the command line at the first zero


def close_others(*kept):
    """Closes every descriptor from the first free one on, except those to keep."""
    begin = FIRST_FREE_FD
    for fd in sorted(kept):
        os.closerange(begin, fd)
        begin = fd + 1
    os.closerange(begin, resource.getrlimit(resource.RLIMIT_NOFILE)[1])


def prepare_network(plan):
    """Prepares the network as package netns does for other boxes."""
    sock = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    fcntl.ioctl(sock.fileno(), SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", IFF_UP | IFF_RUNNING))
    sock.close()
    for path, value in plan["sysctls"].items():
        try:
            write(path, value)
        except OSError:
            pass  # the kernel doesn't allow it


def name_sockets(plan):
    """Returns a box's sockets for the process that serves it: for names and for new connections."""
    udp = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM | _socket.SOCK_NONBLOCK)
    udp.bind(RESOLVER)
    syns = _socket.socket(_socket.AF_INET, _socket.SOCK_RAW | _socket.SOCK_NONBLOCK, _socket.IPPROTO_TCP)
    program, code = filter_program(bytes.fromhex(plan["syns"]))
    syns.setsockopt(_socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
    syns.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVBUF, SYN_BUFFER)
    return [udp.detach(), tcp_listener(*RESOLVER), syns.detach()]


def mount_own(plan, request):
    """Leaves the template's root for that of boxes, with a /proc, /tmp and /dev/shm of its own."""
    mount(ROOT, ROOT, None, MS_BIND | MS_REC)
    os.chdir(ROOT)
    mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    for path in plan["masked"]:
        mount(MASK, path[1:], None, MS_BIND)
    for path, size in (("dev/shm", request["shm"]), ("tmp", request["tmp"])):
        mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=%d" % size)
    call("pivot_root", b".", b".")
    call("umount2", b".", MNT_DETACH)
    os.chdir("/tmp")


def confine(filter):
    """Gives up every capability and installs the system call filter, for good."""
    number = 0
    try:
        while True:
            prctl(PR_CAPBSET_DROP, number)
            number += 1
    except OSError as error:
        if error.errno != errno.EINVAL or number == 0:  # EINVAL follows the last capability
            raise
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    call("capset", struct.pack("Ii", CAPABILITY_VERSION, 0), bytes(24))
    prctl(PR_SET_DUMPABLE, 1)  # changing the uid cleared it
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    program, code = filter_program(filter)
    call("prctl", PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), program)


def wait(handoff):
    """Waits until PID 1 hands over the interpreter's descriptors, directory and environment."""
    close_others(handoff)
    os.closerange(0, FIRST_FREE_FD)
    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, handoff)
    order, fds = receive(sock)
    if order is None:
        os._exit(1)
    sock.detach()
    fds = [fcntl.fcntl(fd, fcntl.F_DUPFD, ABOVE) for fd in fds]
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
    os.closerange(len(fds), resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    global compiles
    compiles = order["compiles"]
    os.setsid()
    os.chdir(order["dir"])
    os.environ.clear()
    for line in order["env"]:
        name, _, value = line.partition("=")
        os.environ[name] = value
    threading.main_thread()._set_native_id()
    gc.collect()  # hides how often the template has collected


def call(name, *args):
    """Calls a function of the C library that returns a negative number on failure."""
    result = getattr(libc, name)(*args)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (name, os.strerror(number)))
    return result


def prctl(option, argument):
    call("prctl", option, *map(ctypes.c_ulong, (argument, 0, 0, 0)))


def mount(source, target, kind, flags, data=None):
    text = [part if part is None else part.encode() for part in (source, target, kind, data)]
    call("mount", *text[:3], ctypes.c_ulong(flags), text[3])


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def filter_program(code):
    """Returns a struct sock_fprog, and the instructions that it points to, to be kept."""
    kept = ctypes.create_string_buffer(code, len(code))
    return struct.pack("HP", len(code) // 8, ctypes.addressof(kept)), kept


def receive(sock):
    """Returns a message and its descriptors; None if the other end is closed."""
    data, ancillary, flags, _ = sock.recvmsg(MAX_MESSAGE, _socket.CMSG_SPACE(4 * MAX_FDS), _socket.MSG_CMSG_CLOEXEC)
    if not data or flags & (_socket.MSG_TRUNC | _socket.MSG_CTRUNC):
        return None, []
    fds = [fd for _, _, part in ancillary for fd in struct.unpack("%di" % (len(part) // 4), part)]
    return json.loads(data), fds


def send(sock, message, *fds):
    ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("%di" % len(fds), *fds))] if fds else []
    sock.sendmsg([json.dumps(message).encode()], ancillary)


def complain(fd, error):
    try:
        os.write(fd, ("template: %s: %s\n" % (type(error).__name__, error)).encode())
    except OSError:
        pass
