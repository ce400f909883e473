# F21 sends a placeholder to hosts that its credential does not belong to, and another credential's to the wrong one, and to its own in wrong places
# decided-by: egress
# hosts: body.test echo.test other.test
# timeout: 60
import base64, json
key, body_key = settings["SEALED"], settings["SEALED_BODY"]
def send(host, request, **more):
    try:
        return raw_http(host, request, **more)
    except OSError:
        return b""
def refused_with(what, answer):
    if status_of(answer) != 403 or b'"hint"' not in answer:
        breach("%s: %r" % (what, answer[:400]))
for what, host, text, place in (
    ("header over plain HTTP", "other.test", b"X-Key: " + key.encode(), dict(port=80, tls=False)),
    ("Basic over plain HTTP", "other.test", b"Authorization: Basic " + base64.b64encode(b"me:" + key.encode()), dict(port=80, tls=False)),
    ("its own host without TLS", "echo.test", b"Authorization: Bearer " + key.encode(), dict(port=80, tls=False)),
    ("another credential's host", "body.test", b"Authorization: Bearer " + key.encode(), {}),
    ("cookie of another credential's host", "echo.test", b"Cookie: a=b; c=" + body_key.encode(), {}),
):
    refused_with(what, send(host, b"GET / HTTP/1.1\r\nHost: " + host.encode() + b"\r\n" + text + b"\r\nConnection: close\r\n\r\n", **place))
for text in (b"User-Agent: " + key.encode(), b"Referer: https://echo.test/?k=" + key.encode(), b"X-Forwarded-For: " + key.encode(), b"X-Original-URL: /?k=" + key.encode(), b"X-Not-Named: " + key.encode()):
    refused_with("a header that is not the credential's", send("echo.test", b"GET / HTTP/1.1\r\nHost: echo.test\r\n" + text + b"\r\nConnection: close\r\n\r\n"))
for what, target in (("query", "/?key=" + key), ("path", "/" + key)):
    refused_with(what + " where only headers are allowed", send("echo.test", ("GET %s HTTP/1.1\r\nHost: echo.test\r\nConnection: close\r\n\r\n" % target).encode()))
body = json.dumps({"key": key}).encode()
refused_with("body where only headers are allowed", send("echo.test", b"POST / HTTP/1.1\r\nHost: echo.test\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body))
# Inside TLS that is not intercepted it is worthless, and stays what it is.
answer = send("other.test", b"GET / HTTP/1.1\r\nHost: other.test\r\nAuthorization: Bearer " + key.encode() + b"\r\nConnection: close\r\n\r\n")
if status_of(answer) != 200 or key.encode() not in answer:
    breach("a relayed host got something else: %r" % answer[:400])
held()
