# serves HTTP on loopback to itself
# except landlock: Scripts can't listen.
import threading, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"served " + self.path.encode())

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
assert urllib.request.urlopen("http://127.0.0.1:%d/a" % server.server_port, timeout=20).read() == b"served /a"
server.shutdown()
set_result("works")
