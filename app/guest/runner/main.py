# The life of a box's interpreter: say ready, wait for the one script, run it, end.
import _signal
import atexit
import os
import sys
import threading
import time

LINGER = 5.0  # seconds for threads and exit handlers after the script's last line
CA_FILE = "/tmp/.airlock-ca.pem"
CA_VARIABLES = (
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "AWS_CA_BUNDLE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "GIT_SSL_CAINFO",
)


def main():
    if sys.flags.hash_randomization:
        raise SystemExit("PYTHONHASHSEED=0 had no effect")
    _signal.signal(_signal.SIGRTMIN, _signal.SIG_DFL)  # airlock-init ignores it, and that is inherited
    channel = Channel(CHANNEL_FD)
    channel.send("ready", protocol=1, runner="", python="%d.%d.%d" % sys.version_info[:3], packages=packages_digest())
    start = channel.receive()["start"]
    trust(start.get("ca_bundle"))
    install(channel, start)
    code = run(channel, start["script"])
    end(code)


def packages_digest():
    """sha256 over the sorted name==version lines of the installed distributions, which their metadata's file names tell."""
    lines = set()
    for folder in filter(None, sys.path):
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            stem, dot, kind = name.rpartition(".")
            parts = stem.split("-")
            if kind in ("dist-info", "egg-info") and len(parts) > 1:
                lines.add("%s==%s\n" % (parts[0].lower().replace("_", "-"), parts[1]))
    return sha256("".join(sorted(lines)).encode()).hexdigest()


def sha256(data):
    """The interpreter's own implementation: hashlib would load OpenSSL into every idle box."""
    try:
        from _sha256 import sha256 as new
    except ImportError:
        try:
            from _sha2 import sha256 as new
        except ImportError:
            from hashlib import sha256 as new
    return new(data)


def trust(bundle):
    """Makes the usual clients trust the given roots, and no others."""
    if not bundle:
        return
    with open(os.open(CA_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444), "wb") as file:
        file.write(binascii.a2b_base64(bundle))
    for name in CA_VARIABLES:
        os.environ[name] = CA_FILE


def run(channel, source):
    """Runs the script as __main__ and returns the exit code."""
    lines = [line + "\n" for line in source.split("\n")]  # as the interpreter counts; without the line break carets are one off
    module = types.ModuleType("__main__")
    module.__file__ = SCRIPT
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    sys.argv[:] = [SCRIPT]
    sys.path[0] = os.getcwd()
    sys.stdout.reconfigure(line_buffering=True)
    threading.excepthook = lambda args: print_thread_error(args, lines)
    remember(lines)
    try:
        exec(compile(source, SCRIPT, "exec", dont_inherit=True), module.__dict__)
        return 0
    except SystemExit as error:
        code = exit_code(error)
        if code:
            report(channel, error, lines)
        return code
    except BaseException as error:
        report(channel, error, lines)
        return 1


def exit_code(error):
    if error.code is None:
        return 0
    return error.code & 0xFF if isinstance(error.code, int) else 1


def report(channel, error, lines):
    """Tells Airlock; a process that can't (a fork, or the channel is gone) tells stderr."""
    failed = describe(error, lines)
    try:
        channel.send("failed", **fitting(failed))
    except BaseException:
        complain(failed["traceback"])


def print_thread_error(args, lines):
    if args.exc_type is SystemExit or args.exc_value is None:
        return
    name = args.thread.name if args.thread is not None else "?"
    complain("Exception in thread %s:\n%s" % (name, describe(args.exc_value, lines)["traceback"]))


def complain(text):
    try:
        print(text.rstrip("\n"), file=sys.stderr, flush=True)
    except BaseException:
        pass


def end(code):
    """Ends as an interpreter does (threads, exit handlers, buffers), but in bounded time and without tearing modules down."""
    if threading.active_count() > 1 or atexit._ncallbacks():
        watch = threading.Thread(target=give_up, args=(code, os.getpid()), daemon=True)
        try:
            watch.start()
        except RuntimeError:  # no thread to be had, so no waiting either
            leave(code)
    for step in (threading._shutdown, atexit._run_exitfuncs):
        try:
            step()
        except BaseException as error:
            complain("%s at exit: %s" % (type(error).__name__, error))
    leave(code)


def give_up(code, owner):
    time.sleep(LINGER)
    if os.getpid() == owner:
        complain("airlock: threads or exit handlers were still busy %d seconds after the script's end and were stopped" % LINGER)
        leave(code)


def leave(code):
    for stream in (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__):
        try:
            stream.flush()
        except BaseException:
            pass
    os._exit(code)


main()
