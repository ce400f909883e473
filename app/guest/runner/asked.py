# Reports which line of the script asked for a host, sent a request or started a program.
# People read it in the record; it grants nothing.
import sys

MAX_ASKED = 2000  # reports that are sent
MAX_PLACES = 200  # hosts and ports in them
MAX_FRAMES = 500  # searched for the script's own line


def watch(channel, changes):
    """Tells Airlock which line of the script uses a host and port, whenever the line changes."""
    last = {}
    sent = [0]
    # bound here, because a script may change modules
    watched = ("socket.getaddrinfo", "socket.connect", "http.client.send")
    programs = ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec")

    def claim(place):
        if place is None or sent[0] >= MAX_ASKED or place not in last and len(last) >= MAX_PLACES:
            return
        line = innermost(sys._getframe(2))
        if not line:  # the client looks names up in a thread of its own
            if place in last:
                return  # a known line is better than a guess
            line = innermost(sys._current_frames().get(FIRST_THREAD))
        if last.get(place) != line and channel.offer("asked", host=place[0], port=place[1], line=line):
            last[place] = line
            sent[0] += 1

    def hook(event, args):
        try:
            if event in watched:
                claim(asked_for(event, args))
            elif event in programs:
                claim(("", 0))
        except Exception:
            pass  # an error here would refuse the script its connection

    sys.addaudithook(hook)
    watch_clients(changes, claim)


def watch_clients(changes, claim):
    """Reports the requests of clients that raise no audit event for each.

    They keep connections open, or connect in C.
    """

    def wrap(owner, name, place):
        call = getattr(owner, name)

        def wrapped(self, *args, **kwargs):
            try:
                claim(place(self, *args, **kwargs))
            except Exception:
                pass
            return call(self, *args, **kwargs)

        setattr(owner, name, wrapped)

    def of_url(url):
        scheme = url.scheme.decode() if isinstance(url.scheme, bytes) else url.scheme
        return outside(url.host, url.port or scheme)

    def of_dsn(dsn, *args, **kwargs):
        found = sys.modules["psycopg2.extensions"].parse_dsn(dsn)
        return outside(found.get("host", ""), found.get("port", "5432"))

    def of_request(pool, request, *args, **kwargs):
        return of_url(request.url)

    for name, owner, method in (
        ("httpcore._sync.connection_pool", "ConnectionPool", "handle_request"),
        ("httpcore._async.connection_pool", "AsyncConnectionPool", "handle_async_request"),
    ):
        changes.add(name, lambda m, o=owner, f=method: wrap(getattr(m, o), f, of_request))
    changes.add("aiohttp.client_reqrep", lambda m: wrap(m.ClientRequest, "send", lambda r, *a, **k: of_url(r.url)))
    changes.add("psycopg2", lambda m: wrap(m, "_connect", of_dsn))


def asked_for(event, args):
    """Returns host and port, or None for addresses in the box and for what isn't a host."""
    if event == "http.client.send":
        connection, data = args
        begins = isinstance(data, bytes) and b" HTTP/1." in data[:data.find(b"\r\n")]
        return outside(connection.host, connection.port) if begins else None
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
