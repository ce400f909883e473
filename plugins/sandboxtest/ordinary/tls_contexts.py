# opens TLS connections with ssl itself, and refuses a name that doesn't match
import socket, ssl
context = ssl.create_default_context()
with socket.create_connection(("echo.test", 443), 20) as raw, context.wrap_socket(raw, server_hostname="echo.test") as tls:
    assert tls.version() in ("TLSv1.2", "TLSv1.3") and dict(x[0] for x in tls.getpeercert()["subject"])["commonName"] == "echo.test"
    tls.sendall(b"GET /raw HTTP/1.1\r\nHost: echo.test\r\nConnection: close\r\n\r\n")
    assert tls.recv(100).startswith(b"HTTP/1.1 200")
set_result("works")
