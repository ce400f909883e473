# Reports which line of the script first asked for a host and port.
# People read it in the record; it grants nothing.
import sys

MAX_PLACES = 200  # that are reported
MAX_FRAMES = 500  # searched for the script's own line


def watch(channel, changes):
    """Tells Airlock which line of the script asks for a host and port, once its line is known."""
    told = {}
    # bound here, because a script may change modules
    watched = ("socket.getaddrinfo", "socket.connect")

    def claim(place):
        if place is None or told.get(place) or place not in told and len(told) >= MAX_PLACES:
            return
        # a client may look names up in a thread of its own
        line = innermost(sys._getframe(2)) or innermost(sys._current_frames().get(FIRST_THREAD))
        if told.get(place) != line and channel.offer("asked", host=place[0], port=place[1], line=line):
            told[place] = line

    def hook(event, args):
        try:
            if event in watched:
                claim(asked_for(event, args))
        except Exception:
            pass  # an error here would refuse the script its connection

    sys.addaudithook(hook)
    changes.add("psycopg2", lambda module: watch_psycopg2(module, claim))


def watch_psycopg2(module, claim):
    """Reports the connections of psycopg2, which looks up and connects in C."""
    connect = module._connect

    def wrapped(dsn, *args, **kwargs):
        try:
            found = sys.modules["psycopg2.extensions"].parse_dsn(dsn)
            claim(outside(found.get("host", ""), found.get("port", "5432")))
        except Exception:
            pass
        return connect(dsn, *args, **kwargs)

    module._connect = wrapped


def asked_for(event, args):
    """Returns host and port, or None for addresses in the box and for what isn't a host."""
    address = args[:2] if event == "socket.getaddrinfo" else args[1]
    if not isinstance(address, tuple) or len(address) < 2:
        return None
    return outside(*address[:2])


def outside(host, port):
    """Returns host and port as Airlock names them, or None."""
    if isinstance(host, (bytes, bytearray)):
        host = host.decode("ascii")
    if not isinstance(host, str) or not host or len(host) > 253:
        return None
    host = host.rstrip(".").lower()
    if host == "localhost" or host.startswith("127.") or host in ("::1", "::", "0.0.0.0"):
        return None
    if isinstance(port, str) and port.isascii() and port.isdigit():
        port = int(port)
    if not isinstance(port, int) or not 0 <= port <= 65535:
        port = 443 if port == "https" else 80 if port == "http" else 0
    return host, int(port)


def innermost(frame):
    """Returns the line of the innermost frame of the script, or 0."""
    for _ in range(MAX_FRAMES):
        if frame is None:
            break
        if frame.f_code.co_filename == SCRIPT:
            return frame.f_lineno or 0
        frame = frame.f_back
    return 0
