# PID 1 of a box that was forked from a template, in place of airlock-init. It obeys the process
# that serves the box from outside (airlock-init guests); package template has the messages.
# The script runs as the same user and may attack it. So it is non-dumpable, ignores signals, has no
# socket that leads to the script, and never knows a value of the profile.


class PID1:
    def __init__(self, plan, request, link, interpreter):
        self.plan = plan
        self.command = request["command"]
        self.link = link
        self.interpreter = interpreter
        self.gone = False

    def serve(self):
        """Carries out orders until the link ends, and the box with it."""
        woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        # the kernel spares PID 1 signals without a handler, as long as it has only one thread
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
        """Collects the status of every child that ended, orphans too."""
        while not self.gone:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.gone = True
                full = [path for path in ("/tmp", "/dev/shm") if not os.statvfs(path).f_bavail]
                send(self.link, {"gone": {"full": full, "out": self.has_artifacts()}})
                return
            if pid == 0:
                return
            if pid == self.interpreter:
                send(self.link, {"ended": status})

    def has_artifacts(self):
        """Looks for artifacts, without following a link that the script put in their place."""
        fd = None
        try:
            for name in self.plan["out"].split("/"):
                fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
            return any(True for _ in os.scandir(fd))
        except OSError:
            return False

    def obey(self, order, fds):
        if "kill" in order:
            try:
                os.kill(order["kill"]["pid"], order["kill"]["signal"])
            except OSError:
                pass  # the process has ended
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
        """Starts a program of Airlock's own, before or after the script."""
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
    """Returns the descriptor of a listening socket, with the options that Go sets."""
    sock = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM | _socket.SOCK_NONBLOCK)
    sock.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    sock.bind((address, port))
    sock.listen(4096)  # or as many as the kernel allows
    return sock.detach()
