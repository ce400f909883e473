# D15 asks an intercepted host for WebSocket, h2c, TLS in HTTP, HTTP/2, CONNECT and TRACE
# decided-by: egress
# hosts: echo.test h2.test
# timeout: 60
key = settings["SEALED"].encode()
for what, request in {
    "websocket": b"GET /x HTTP/1.1\r\nHost: echo.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                 b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    "h2c": b"GET / HTTP/1.1\r\nHost: echo.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
           b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
    "tls": b"OPTIONS * HTTP/1.1\r\nHost: echo.test\r\nConnection: Upgrade\r\nUpgrade: TLS/1.2\r\n\r\n",
    "prior knowledge": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "connect": b"CONNECT tenant.test:443 HTTP/1.1\r\nHost: tenant.test:443\r\n\r\n",
    "trace": b"TRACE / HTTP/1.1\r\nHost: echo.test\r\nAuthorization: Bearer " + key + b"\r\n\r\n",
}.items():
    try:
        answer = raw_http("echo.test", request)
    except OSError:
        continue
    if status_of(answer) not in (0, 400, 403, 405, 421, 501, 505):
        breach("%s: %r" % (what, answer[:300]))
sealed = b"Authorization: Bearer " + key
answer = raw_http("h2.test", http_head(b"GET / HTTP/1.1", b"Host: h2.test", sealed, b"Connection: close"))
if status_of(answer) != 502 or b'"hint"' not in answer:
    breach("a host that speaks HTTP/2 only: %r" % answer[:300])
held()
