# PID 1 of a box that was forked from a template, in place of airlock-init: it does what has to be done in the box, as the process that serves it from outside
# asks (airlock-init guests). The script attacks it as the same user. It is non-dumpable, takes no signal seriously, has no socket that leads to the script, and
# never knows a value of the profile. Package template has the messages.


class PID1:
    def __init__(self, plan, request, link, interpreter):
        self.plan = plan
        self.command = request["command"]
        self.link = link
        self.interpreter = interpreter
        self.gone = False

    def serve(self):
        """Obeys until the link ends, and the box with it."""
        woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        # one thread, so the kernel spares PID 1 from signals without a handler, of which Python has two
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        poll = select.poll()
        for fd in (self.link.fileno(), woken):
            poll.register(fd, select.POLLIN)
        while True:
            self.reap()
            for fd, _ in poll.poll():
                if fd == woken:
                    os.read(woken, 4096)
                    continue
                order, fds = receive(self.link)
                if order is None:
                    return
                self.obey(order, fds)

    def reap(self):
        """Waits for every child, its own and orphans."""
        while not self.gone:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.gone = True
                self.tell("gone", full=[path for path in ("/tmp", "/dev/shm") if not os.statvfs(path).f_bavail], out=self.has_artifacts())
                return
            if pid == 0:
                return
            if pid == self.interpreter:
                send(self.link, {"ended": status})

    def has_artifacts(self):
        """Looks into their directory, without following a link that the script put in its place."""
        fd = None
        try:
            for name in self.plan["out"].split("/"):
                fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
            return any(True for _ in os.scandir(fd))
        except OSError:
            return False

    def tell(self, kind, **fields):
        send(self.link, {kind: fields})

    def obey(self, order, fds):
        if "kill" in order:
            try:
                os.kill(order["kill"]["pid"], order["kill"]["signal"])
            except OSError:
                pass  # it ended
            return
        error, answer = "", []
        try:
            if "write" in order:
                write_files(order["write"], fds)
            elif "listen" in order:
                answer = [tcp_listener("0.0.0.0", order["listen"])]
            else:
                self.run(order["run"], fds)
        except OSError as problem:
            error = str(problem)
        send(self.link, {"done": {"error": error}}, *answer)
        for fd in answer + fds:
            os.close(fd)

    def run(self, arguments, fds):
        """Starts a program of Airlock's own, before the script or after it."""
        if os.fork() == 0:
            try:
                for number, fd in enumerate(fds):
                    os.dup2(fd, number)
                os.execve(self.command[0], self.command + arguments, {})
            finally:
                os._exit(1)


def write_files(order, contents):
    for path in order["dirs"]:
        os.makedirs(path, 0o700, exist_ok=True)
    for path, content in zip(order["files"] or (), contents):
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        with open(path, "xb", opener=lambda path, flags: os.open(path, flags, 0o400)) as file:
            while True:
                part = os.read(content, 1 << 16)
                if not part:
                    break
                file.write(part)


def tcp_listener(address, port):
    """Returns the descriptor of a socket that listens, as Go makes them."""
    sock = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM | _socket.SOCK_NONBLOCK)
    sock.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    sock.bind((address, port))
    sock.listen(4096)  # or as many as the kernel allows
    return sock.detach()
