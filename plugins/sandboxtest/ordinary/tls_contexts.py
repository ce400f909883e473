# opens TLS connections with ssl itself, and refuses a name that doesn't match
import socket, ssl
context = ssl.create_default_context()
host = "echo.test"
with socket.create_connection((host, 443), 20) as raw, context.wrap_socket(raw, server_hostname=host) as tls:
    assert tls.version() in ("TLSv1.2", "TLSv1.3")
    assert dict(x[0] for x in tls.getpeercert()["subject"])["commonName"] == host
    tls.sendall(b"GET /raw HTTP/1.1\r\nHost: echo.test\r\nConnection: close\r\n\r\n")
    assert tls.recv(100).startswith(b"HTTP/1.1 200")
set_result("works")
