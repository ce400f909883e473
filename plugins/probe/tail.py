# The end of every probe: limits whose attempts use up everything, and the answer.


@control("open files are limited")
def _():
    "opened /dev/null over and over"
    held = []
    try:
        while len(held) <= facts["files"]:
            held.append(os.open("/dev/null", os.O_RDONLY))
        return "%d files" % len(held)
    except OSError as e:
        return None if e.errno == errno.EMFILE else repr(e)
    finally:
        for fd in held:
            os.close(fd)


@control("processes are limited")
def _():
    "forked over and over"
    children = 1  # this one
    r, w = os.pipe()
    try:
        while children <= 4 * facts["pids"]:
            if os.fork() == 0:
                os.close(w)
                os.read(r, 1)
                os._exit(0)
            children += 1
    except OSError as e:
        if e.errno != errno.EAGAIN:
            return repr(e)
    finally:
        os.close(w)
        for _ in range(children - 1):
            os.wait()
    return "%d processes" % children if children > facts["pids"] else None


print(json.dumps({"controls": results, **finish()}), flush=True)
os._exit(0)
