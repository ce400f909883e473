# The life of a box's interpreter: say ready, wait for the one script, run it, end.
import _signal
import atexit
import os
import sys
import threading
import time

LINGER = 5.0  # seconds for threads and exit handlers after the script's last line


def main():
    if sys.flags.hash_randomization:
        raise SystemExit("PYTHONHASHSEED=0 had no effect")
    _signal.signal(_signal.SIGRTMIN, _signal.SIG_DFL)  # airlock-init ignores it, and that is inherited
    trust()
    channel = Channel(CHANNEL_FD)
    channel.send("ready", protocol=1, runner="", python="%d.%d.%d" % sys.version_info[:3], **packages())
    start = channel.receive()["start"]
    install(channel, start)
    watch(channel)
    code = run(channel, start["script"])
    end(code)


def packages():
    """The sorted name==version lines of the installed distributions, which their metadata's file names tell, and the sha256 over them."""
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
    lines = sorted(lines)
    digest = sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
    shown = [line[:-1] for line in lines if len(line) <= 200 and line.isascii()]
    return {"packages": digest, "installed": shown[:2000]}


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
