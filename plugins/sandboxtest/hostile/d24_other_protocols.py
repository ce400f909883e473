# D24 speaks SSH and SMTP to an allowed host on the port of HTTPS
# decided-by: egress
# hosts: ssh.test other.test
# timeout: 60
for host in ("ssh.test", "other.test"):
    get = http_head(b"GET / HTTP/1.1", b"Host: " + host.encode())
    for greeting in (b"SSH-2.0-OpenSSH_9.2p1\r\n", b"EHLO me\r\n", get, b"\x00" * 64):
        try:
            answer = raw_http(host, greeting + b"marker-of-d24\r\n", tls=False, timeout=20)
        except OSError:
            continue
        if b"SSH-2.0" in answer or b"HTTP/1.1 200" in answer:
            breach("%s answered %r to %r" % (host, answer, greeting))
held()
