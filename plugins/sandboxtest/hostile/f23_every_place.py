# F23 puts a placeholder into every place that its credential allows, and reads what the host repeats
# decided-by: egress
# hosts: body.test
# timeout: 30
import base64, json, urllib.parse
key = settings["SEALED_BODY"]
def ask(request):
    answer = raw_http("body.test", request + b"")
    if status_of(answer) != 200 or key.encode() not in answer:
        breach("%r: %r" % (request[:200], answer[:600]))
def post(kind, body, head=b""):
    ask(b"POST /p HTTP/1.1\r\nHost: body.test\r\nContent-Type: " + kind + b"\r\nContent-Length: %d\r\nConnection: close\r\n" % len(body) + head + b"\r\n" + body)
end = b" HTTP/1.1\r\nHost: body.test\r\nConnection: close\r\n\r\n"
ask(b"GET /?key=" + key.encode() + b"&x=1" + end)
ask(b"GET /bot" + key.encode() + b"/send" + end)
post(b"application/json", json.dumps({"key": key, "list": [key]}).encode())
post(b"application/x-www-form-urlencoded", urllib.parse.urlencode({"key": key, "x": "a b"}).encode())
post(b"multipart/form-data; boundary=xyz", b'--xyz\r\nContent-Disposition: form-data; name="key"\r\n\r\n' + key.encode() + b"\r\n--xyz--\r\n")
post(b"text/plain", b"the key is " + key.encode())
ask(b"POST /c HTTP/1.1\r\nHost: body.test\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + b"".join(b"1\r\n%c\r\n" % c for c in key.encode()) + b"0\r\n\r\n")
answer = raw_http("body.test", b"GET / HTTP/1.1\r\nHost: body.test\r\nAuthorization: Basic " + base64.b64encode(b"user:" + key.encode()) + b"\r\nConnection: close\r\n\r\n")
if status_of(answer) != 200:
    breach("Basic: %r" % answer[:300])
held()
