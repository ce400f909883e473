# F23 puts a placeholder into every place that its credential allows, and reads the host's echo
# decided-by: egress
# hosts: body.test
# timeout: 30
import base64, json, urllib.parse
key = settings["SEALED_BODY"]
raw = key.encode()
def send(line, *headers, body=b""):
    head = http_head(line + b" HTTP/1.1", b"Host: body.test", *headers, b"Connection: close")
    return raw_http("body.test", head + body)
def ask(line, *headers, body=b""):
    answer = send(line, *headers, body=body)
    if status_of(answer) != 200 or raw not in answer:
        breach("%r %r %r: %r" % (line, headers, body[:200], answer[:600]))
def post(kind, body):
    ask(b"POST /p", b"Content-Type: " + kind, b"Content-Length: %d" % len(body), body=body)
ask(b"GET /?key=" + raw + b"&x=1")
ask(b"GET /bot" + raw + b"/send")
post(b"application/json", json.dumps({"key": key, "list": [key]}).encode())
post(b"application/x-www-form-urlencoded", urllib.parse.urlencode({"key": key, "x": "a b"}).encode())
part = http_head(b"--xyz", b'Content-Disposition: form-data; name="key"') + raw + b"\r\n--xyz--\r\n"
post(b"multipart/form-data; boundary=xyz", part)
post(b"text/plain", b"the key is " + raw)
chunks = b"".join(b"1\r\n%c\r\n" % c for c in raw) + b"0\r\n\r\n"
ask(b"POST /c", b"Content-Type: text/plain", b"Transfer-Encoding: chunked", body=chunks)
answer = send(b"GET /", b"Authorization: Basic " + base64.b64encode(b"user:" + raw))
if status_of(answer) != 200:
    breach("Basic: %r" % answer[:300])
held()
