# D23 sends its sealed secret to hosts with certificates of an unknown authority or another name
# decided-by: egress
# hosts: badcert.test wrongname.test
# timeout: 30
sealed = b"Authorization: Bearer " + settings["SEALED"].encode()
for host in ("badcert.test", "wrongname.test"):
    request = http_head(b"GET / HTTP/1.1", b"Host: " + host.encode(), sealed, b"Connection: close")
    answer = raw_http(host, request)
    if status_of(answer) != 502 or b'"hint"' not in answer:
        breach("%s: %r" % (host, answer[:300]))
held()
