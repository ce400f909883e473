# Which line of the script asked for a host. It helps a person to decide; nothing is granted by it.
import _thread
import sys

FIRST_THREAD = _thread.get_ident()
MAX_ASKED = 200  # hosts and ports that are told
MAX_FRAMES = 500  # looked through for the script's own line


def watch(channel):
    """Tells Airlock, once for each host and port, which line of the script first asked for it."""
    seen = set()
    watched = ("socket.getaddrinfo", "socket.connect")  # the names are bound here: a script may change modules

    def hook(event, args):
        if event not in watched or len(seen) >= MAX_ASKED:
            return
        try:
            place = asked_for(event, args)
            if place is None or place in seen:
                return
            if channel.offer("asked", host=place[0], port=place[1], line=script_line(sys._getframe(1))):
                seen.add(place)
        except Exception:
            pass  # an error in here would refuse the script its connection

    sys.addaudithook(hook)


def asked_for(event, args):
    """Returns host and port, or None for what stays in the box and what is no host at all."""
    address = args[:2] if event == "socket.getaddrinfo" else args[1]
    if not isinstance(address, tuple) or len(address) < 2:
        return None
    host, port = address[:2]
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


def script_line(frame):
    """Returns the line of the innermost frame of the script: of this thread, or, for clients that look names up in threads of their own, of the first thread."""
    line = innermost(frame)
    if not line:
        line = innermost(sys._current_frames().get(FIRST_THREAD))
    return line


def innermost(frame):
    for _ in range(MAX_FRAMES):
        if frame is None:
            break
        if frame.f_code.co_filename == SCRIPT:
            return frame.f_lineno or 0
        frame = frame.f_back
    return 0
