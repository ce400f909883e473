# Makes the names that a script sees, as builtins and as the module airlock, and the channel to
# airlock-init behind them.
import _signal
import _thread
import binascii
import builtins
import os

MAX_FRAME = 8 << 20
MAX_PROMPT = 1 << 20
CHANNEL_FD = 3
FIRST_THREAD = _thread.get_ident()
NAMES = ("settings", "llm", "set_result", "inputs", "files", "save_file")


def undisturbed(call):
    """Makes a call that a raising signal handler of the script can't leave half done.

    Handlers run in the first thread only, between any two steps there. So the call runs in another
    thread, if there is a handler and a thread is available. The handler's exception is raised from
    here while the call goes on.
    """
    if _thread.get_ident() != FIRST_THREAD or not has_handlers():
        return call()
    ended = _thread.allocate_lock()
    outcome = []

    def work():
        try:
            outcome.append((call(), None))
        except BaseException as error:
            outcome.append((None, error))
        ended.release()

    ended.acquire()
    try:
        _thread.start_new_thread(work, ())
    except RuntimeError:
        return call()
    ended.acquire()
    value, error = outcome[0]
    if error is not None:
        raise error
    return value


def has_handlers():
    """Tells whether the script handles signals in Python. Python's own handler doesn't count."""
    handlers = map(_signal.getsignal, range(1, _signal.NSIG))
    return any(callable(handler) and handler is not _signal.default_int_handler for handler in handlers)


class Channel:
    """Sends and receives frames to and from airlock-init: 4 bytes of length, then JSON.

    A script that tampers with it only hurts itself.
    """

    def __init__(self, fd):
        self.fd = fd
        self.file = self.identity()
        self.owner = os.getpid()
        self.sending = _thread.allocate_lock()
        os.set_inheritable(fd, False)

    def identity(self):
        info = os.fstat(self.fd)
        return info.st_dev, info.st_ino

    def check(self):
        """Raises OSError if the script has replaced the descriptor, or this process is a fork."""
        if os.getpid() != self.owner:
            raise OSError(FIRST_PROCESS_ONLY)
        if self.identity() != self.file:
            raise OSError("the script replaced the descriptor that leads to Airlock")

    def send(self, kind, **fields):
        body = "".join(escaped({kind: fields}, 0)).encode()
        if len(body) > MAX_FRAME:
            raise ValueError("%d bytes are too much for one message to Airlock" % len(body))
        with self.sending:
            self.write(body)

    def offer(self, kind, **fields):
        """Sends the message unless another is being sent, perhaps by this very thread."""
        body = "".join(escaped({kind: fields}, 0)).encode()
        return undisturbed(lambda: self.write_if_free(body))

    def write_if_free(self, body):
        if not self.sending.acquire(False):
            return False
        try:
            self.write(body)
        finally:
            self.sending.release()
        return True

    def write(self, body):
        self.check()
        rest = memoryview(len(body).to_bytes(4, "big") + body)
        while rest:
            rest = rest[os.write(self.fd, rest):]

    def receive(self):
        self.check()
        size = int.from_bytes(self.read(4), "big")
        if size > MAX_FRAME:
            raise OSError("the channel to Airlock is broken")
        return parse(self.read(size))

    def read(self, size):
        parts = []
        while size:
            part = os.read(self.fd, min(size, 1 << 20))
            if not part:
                raise OSError("the channel to Airlock is closed")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


class MissingKey(KeyError):
    """A key that the profile doesn't have."""

    def __str__(self):
        return self.args[0]


class LLMError(Exception):
    """There will be no answer; the message says why."""


REQUIRED = object()


class Settings:
    """The values of the profile's keys."""

    def __init__(self, values):
        self._values = dict(values)

    def get(self, key, default=REQUIRED):
        if key in self._values:
            return self._values[key]
        if default is not REQUIRED:
            return default
        names = ", ".join(sorted(self._values)) or "none"
        raise MissingKey("this profile has no key %r. Its keys: %s. Only a new profile can have others" % (key, names))

    def __getitem__(self, key):
        return self.get(key)

    def __contains__(self, key):
        return key in self._values

    def __iter__(self):
        return iter(self.keys())

    def keys(self):
        return sorted(self._values)

    def __repr__(self):
        return "<settings with %d keys>" % len(self._values)


class Files:
    """The files that came with the request."""

    def __init__(self, names):
        self._folder = os.environ.get("AIRLOCK_FILES", "")
        self._names = list(names)

    def path(self, name):
        if name not in self._names:
            raise FileNotFoundError(
                "this execution has no file %r. Its files: %s. Send others with files in POST /execute"
                % (name, ", ".join(self._names) or "none")
            )
        return os.path.join(self._folder, name)

    def open(self, name, mode="r", **options):
        return open(self.path(name), mode, **options)

    def __contains__(self, name):
        return name in self._names

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    def __repr__(self):
        return "<%d files>" % len(self._names)


class LLM:
    """Questions to the agent that started the script."""

    Error = LLMError

    def __init__(self, channel):
        self._channel = channel
        self._making = _thread.allocate_lock()
        self._turn = None
        self._reading = False
        self._asked = 0
        self._replies = {}

    def complete(self, prompt, model="default"):
        if not isinstance(prompt, str) or not isinstance(model, str):
            raise TypeError("llm.complete(prompt, model) takes two strings")
        size = len(prompt.encode("utf-8", "strict"))
        if size > MAX_PROMPT:
            raise LLMError("the prompt has %d bytes, the limit is %d; shorten it" % (size, MAX_PROMPT))
        reply = undisturbed(lambda: self._ask(prompt, model))
        if reply.get("error") is not None:
            raise LLMError(reply["error"])
        return reply.get("text", "")

    def __repr__(self):
        return "<llm>"

    def _ask(self, prompt, model):
        self._prepare()
        with self._turn:
            self._asked += 1
            number = str(self._asked)
        try:
            self._channel.send("llm", id=number, prompt=prompt, model=model)
            return self._wait(number)
        except OSError as error:
            raise LLMError(str(error)) from None

    def _prepare(self):
        with self._making:
            if self._turn is None:
                from threading import Condition

                self._turn = Condition()

    def _wait(self, number):
        """Waits for the reply. One of the waiting threads reads for all."""
        while True:
            with self._turn:
                while number not in self._replies and self._reading:
                    self._turn.wait()
                if number in self._replies:
                    return self._replies.pop(number)
                self._reading = True
            try:
                reply = self._channel.receive()["reply"]
                with self._turn:
                    self._replies[reply["id"]] = reply
            finally:
                with self._turn:
                    self._reading = False
                    self._turn.notify_all()


def install(channel, start):
    """Makes the module airlock for one script and puts its names into builtins."""
    limit = start["max_result"]
    numbers, ordering, sent = iter(range(1, 1 << 62)), _thread.allocate_lock(), [0]

    def send_result(number, data):
        """Sends a result unless a later call sent its own, as when a handler interrupted this one."""
        with ordering:
            if number > sent[0]:
                sent[0] = number
                channel.send("result", data=data)

    def set_result(data):
        """Sets the result of this execution; the last call counts."""
        text = result_json(data)
        size = len(text.encode())
        if size > limit:
            raise ResultError("result is %d bytes of JSON, the limit is %d" % (size, limit))
        data = binascii.b2a_base64(text.encode(), newline=False).decode()
        number = next(numbers)
        undisturbed(lambda: send_result(number, data))

    folder = os.environ.get("AIRLOCK_OUT", "")

    def save_file(name, data):
        """Writes a file for the readers of the execution, and returns its path."""
        if not isinstance(name, str):
            raise TypeError("save_file(name, data) takes a name as text")
        if not name or "/" in name or name in (".", ".."):
            raise ValueError("%r is not a plain file name" % name)
        if isinstance(data, str):
            data = data.encode()
        try:
            memoryview(data)
        except TypeError:
            raise TypeError("save_file(name, data) takes text or bytes, not %s" % type(data).__name__) from None
        path = os.path.join(folder, name)
        file = open(path, "wb")
        try:
            with file:
                file.write(data)
        except BaseException:
            os.unlink(path)  # half a file must not pass for a whole one
            raise
        return path

    inputs = start.get("inputs")
    module = type(builtins)("airlock", "What Airlock gives to a script.")
    module.settings = Settings(start.get("settings") or {})
    module.llm = LLM(channel)
    module.files = Files([file["name"] for file in start.get("files") or ()])
    module.save_file = save_file
    module.set_result = set_result
    module.inputs = parse(binascii.a2b_base64(inputs)) if inputs else None
    for name in NAMES:
        setattr(builtins, name, getattr(module, name))
    for kind, name in ((MissingKey, "MissingKey"), (ResultError, "ResultError"), (LLMError, "llm.Error")):
        kind.__module__, kind.__qualname__ = "airlock", name
    module.MissingKey, module.ResultError = MissingKey, ResultError
    module.__all__ = [*NAMES, "MissingKey", "ResultError"]
    sys.modules["airlock"] = module
