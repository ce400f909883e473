# F21 sends placeholders to hosts of another credential or of none, and to their own in wrong places
# decided-by: egress
# hosts: body.test echo.test other.test
# timeout: 60
import base64, json
key, body_key = settings["SEALED"].encode(), settings["SEALED_BODY"].encode()
def send(host, line, *headers, body=b"", **more):
    head = http_head(line + b" HTTP/1.1", b"Host: " + host.encode(), *headers, b"Connection: close")
    try:
        return raw_http(host, head + body, **more)
    except OSError:
        return b""
def refused_with(what, answer):
    if status_of(answer) != 403 or b'"hint"' not in answer:
        breach("%s: %r" % (what, answer[:400]))
bearer, plain = b"Authorization: Bearer " + key, dict(port=80, tls=False)
for what, host, text, place in (
    ("header over plain HTTP", "other.test", b"X-Key: " + key, plain),
    ("Basic over plain HTTP", "other.test", b"Authorization: Basic " + base64.b64encode(b"me:" + key), plain),
    ("its own host without TLS", "echo.test", bearer, plain),
    ("another credential's host", "body.test", bearer, {}),
    ("cookie of another credential's host", "echo.test", b"Cookie: a=b; c=" + body_key, {}),
):
    refused_with(what, send(host, b"GET /", text, **place))
for text in (b"User-Agent: ", b"Referer: https://echo.test/?k=", b"X-Forwarded-For: ", b"X-Original-URL: /?k=",
             b"X-Not-Named: "):
    refused_with("a header that is not the credential's", send("echo.test", b"GET /", text + key))
for what, target in (("query", b"/?key="), ("path", b"/")):
    refused_with(what + " where only headers are allowed", send("echo.test", b"GET " + target + key))
body = json.dumps({"key": key.decode()}).encode()
headers = b"Content-Type: application/json", b"Content-Length: %d" % len(body)
refused_with("body where only headers are allowed", send("echo.test", b"POST /", *headers, body=body))
# Inside TLS that isn't intercepted, a placeholder is worthless and stays as it is.
answer = send("other.test", b"GET /", bearer)
if status_of(answer) != 200 or key not in answer:
    breach("a relayed host got something else: %r" % answer[:400])
held()
