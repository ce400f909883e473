# Runs a box's interpreter: says ready, waits for the one script, runs it and ends.
import _signal
import atexit
import os
import sys
import time

SCRIPT = "script.py"
IDLE = 0.1  # seconds without a script after which a box imports in advance
SPARE = []  # a descriptor kept back, so that a failure can be reported without a free one
FOLDERS = []  # with the files of the skill that runs
LINGER = 5.0  # seconds for threads and exit handlers after the script's last line

# Airlock shortens these texts after it has masked secrets, because it can't find a secret that was
# cut. So only the size of a message counts here: a character may need 12 bytes. Airlock treats
# texts longer than its own limit (64 KiB) as cut.
MAX_ERROR = 128 << 10
MAX_TRACEBACK = 512 << 10


def main():
    if sys.flags.hash_randomization:
        raise SystemExit("PYTHONHASHSEED=0 had no effect")
    _signal.signal(_signal.SIGRTMIN, _signal.SIG_DFL)  # airlock-init ignores it, and that is inherited
    count_one()
    changes = Changes()
    trust(changes)
    channel = Channel(CHANNEL_FD)
    version = "%d.%d.%d" % sys.version_info[:3]
    channel.send("ready", protocol=1, runner="", python=version, **known_packages(), **compiled())
    use_time(channel)
    start = channel.receive()["start"]
    if start.get("problem"):
        channel.send("failed", error=start["problem"], traceback="", line=0)
        leave(1)
    spare()
    install(channel, start)
    prepare_children(changes, start)
    watch(channel, changes)
    code = run(channel, start, changes)
    end(code)


def compiled():
    """Returns the bytecode for other interpreters of this kind, if this one had to compile it."""
    if not MAGIC:
        return {}
    form = MAGIC + marshal.dumps((RUNNER, {part.name: part.code() for part in (failure, foreign, skill)}))
    return {"code": binascii.b2a_base64(form, newline=False).decode()}


def use_time(channel):
    """Imports what many scripts need, until the script arrives."""
    from select import select

    wait = IDLE
    for name in ("json", "threading", "datetime", "traceback", "decimal"):
        if select([channel.fd], [], [], wait)[0]:
            return
        __import__(name)
        wait = 0
    compile_parts()


def compile_parts():
    for one in (foreign, failure, skill):
        one.compile()


def known_packages():
    times, found = KNOWN
    return found if times == folder_times() else packages()


def folder_times():
    return [os.stat(folder).st_mtime_ns for folder in filter(os.path.exists, sys.path)]


def packages():
    """Returns the installed distributions, their sha256 and the modules that can be imported.

    Distributions are sorted name==version lines from the file names of their metadata. Modules are
    left out unless all are in folders.
    """
    lines, modules, whole = set(), set(sys.builtin_module_names), True
    for folder in filter(None, sys.path):
        try:
            names = os.listdir(folder)
        except OSError:
            whole = whole and not os.path.exists(folder)  # a zip file with modules
            continue
        for name in names:
            module, dot, suffix = name.partition(".")
            if not dot or suffix == "py" or suffix.endswith(("so", "pyc")):
                modules.add(module)
            stem, dot, kind = name.rpartition(".")
            parts = stem.split("-")
            if kind in ("dist-info", "egg-info") and len(parts) > 1:
                lines.add("%s==%s\n" % (parts[0].lower().replace("_", "-"), parts[1]))
    lines = sorted(lines)
    digest = sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
    shown = [line[:-1] for line in lines if len(line) <= 200 and line.isascii()]
    modules = sorted(name for name in modules if name.isascii() and name.isidentifier())
    whole = whole and len(modules) <= 5000
    return {"packages": digest, "installed": shown[:2000], "modules": modules if whole else []}


def sha256(data):
    """Hashes without hashlib, which would load OpenSSL into every idle box."""
    try:
        from _sha256 import sha256 as new
    except ImportError:
        try:
            from _sha2 import sha256 as new
        except ImportError:
            from hashlib import sha256 as new
    return new(data)


def run(channel, start, changes):
    """Runs the script or skill as __main__ and returns the exit code."""
    source = start["script"]
    # as the interpreter counts; without the line break carets are one off
    lines = [line + "\n" for line in source.split("\n")]
    module = type(sys)("__main__")
    module.__file__ = SCRIPT
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    sys.argv[:] = [SCRIPT]
    sys.path[0] = os.getcwd()
    write_script(source)
    sys.stdout.reconfigure(line_buffering=True)
    changes.add("threading", lambda threading: follow_threads(threading, lines))
    changes.add("linecache", lambda linecache: remember(linecache, lines))
    try:
        if start.get("skill"):
            skill.launch(start["skill"])
        else:
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


def remember(linecache, lines):
    """Gives the traceback module the source, even if the script emptied its cache.

    Without a time stamp, it is never checked against a file.
    """
    linecache.cache[SCRIPT] = (sum(map(len, lines)), None, lines, SCRIPT)


def follow_threads(threading, lines):
    threading.excepthook = lambda args: print_thread_error(args, lines)


def report(channel, error, lines):
    """Reports an error to Airlock, or on stderr in a fork or without a channel."""
    failed = described(error, lines)
    try:
        channel.send("failed", **fitting(failed))
    except BaseException:
        complain(failed["traceback"])


def fitting(failed):
    """Returns the fields, with texts cut to what fits into a message."""
    return dict(failed, error=failed["error"][:MAX_ERROR], traceback=failed["traceback"][:MAX_TRACEBACK])


def print_thread_error(args, lines):
    if args.exc_type is SystemExit or args.exc_value is None:
        return
    name = args.thread.name if args.thread is not None else "?"
    complain("Exception in thread %s:\n%s" % (name, described(args.exc_value, lines)["traceback"]))


def described(error, lines):
    """Describes the failure, by the error's name alone if the modules for more can't be imported."""
    while SPARE:
        descriptor, file = SPARE.pop()
        if file == identity(descriptor):  # the script may have put another file in its place
            os.close(descriptor)
    try:
        return failure.describe(error, lines)
    except BaseException:
        return {"error": type(error).__name__, "traceback": type(error).__name__, "line": 0}


def spare():
    """Keeps a descriptor back, so that a script that runs out of them still learns where."""
    descriptor = os.dup(0)
    SPARE.append((descriptor, identity(descriptor)))


def identity(descriptor):
    try:
        info = os.fstat(descriptor)
    except OSError:
        return None
    return info.st_dev, info.st_ino


def complain(text):
    try:
        print(text.rstrip("\n"), file=sys.stderr, flush=True)
    except BaseException:
        pass


def end(code):
    """Ends threads, exit handlers and buffers as an interpreter does, but in bounded time.

    It doesn't tear modules down.
    """
    threads = sys.modules.get("threading")
    if threads is not None and threads.active_count() > 1 or atexit._ncallbacks():
        try:
            _thread.start_new_thread(give_up, (code, os.getpid()))
        except RuntimeError:  # no thread is available to bound the waiting
            leave(code)
    for step in ([threads._shutdown] if threads is not None else []) + [atexit._run_exitfuncs]:
        try:
            step()
        except BaseException as error:
            complain("%s at exit: %s" % (type(error).__name__, error))
    leave(code)


def give_up(code, owner):
    time.sleep(LINGER)
    if os.getpid() == owner:
        complain("airlock: threads or exit handlers were still busy %d seconds "
            "after the script's end and were stopped" % LINGER)
        leave(code)


def leave(code):
    for stream in (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__):
        try:
            stream.flush()
        except BaseException:
            pass
    os._exit(code)


KNOWN = folder_times(), packages()
if PARK:  # in a template: forks boxes, and returns in each
    compile_parts()
    if not PARK():
        MAGIC = None
main()
