# D23 sends its sealed secret to hosts with certificates that nobody vouches for, or of another name
# decided-by: egress
# hosts: badcert.test wrongname.test
# timeout: 30
for host in ("badcert.test", "wrongname.test"):
    request = b"GET / HTTP/1.1\r\nHost: " + host.encode() + b"\r\nAuthorization: Bearer " + settings["SEALED"].encode() + b"\r\nConnection: close\r\n\r\n"
    answer = raw_http(host, request)
    if status_of(answer) != 502 or b'"hint"' not in answer:
        breach("%s: %r" % (host, answer[:300]))
held()
