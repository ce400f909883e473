# Describes how a script failed by its own lines and those of its skill's files, without frames of
# the runner and of libraries.
import linecache
import traceback


def describe(error, source_lines):
    """Returns the fields of a failed message. Never raises, even if the exception's methods do."""
    remember(linecache, source_lines)
    try:
        report = traceback.TracebackException(type(error), error, error.__traceback__)
        keep_script_lines(report, set())
        text = "".join(report.format())
        summary = summarize(report, error)
        line = failing_line(report, error)
    except BaseException:
        text = summary = type(error).__name__
        line = 0
    return {"error": printable(summary), "traceback": printable(text), "line": line}


def keep_script_lines(report, seen):
    """Drops foreign frames from an exception, its causes and contexts, and those it groups."""
    pending = [report]
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if one.stack is not None:
            one.stack[:] = [frame for frame in one.stack if is_own(frame.filename)]
        pending += [one.__cause__, one.__context__]
        pending += getattr(one, "exceptions", None) or []


def is_own(path):
    return path == SCRIPT or path.startswith(tuple(FOLDERS))


def summarize(report, error):
    if isinstance(error, SyntaxError):
        return "%s: %s" % (type(error).__name__, report.msg)
    return next(report.format_exception_only()).rstrip("\n")


def failing_line(report, error):
    if isinstance(error, SyntaxError) and report.filename == SCRIPT:
        return int(report.lineno or 0)
    return int(report.stack[-1].lineno or 0) if report.stack and report.stack[-1].filename == SCRIPT else 0


def printable(text):
    """Escapes the characters that UTF-8 can't hold."""
    return text.encode("utf-8", "backslashreplace").decode()
