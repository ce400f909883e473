# D12 speaks to another tenant behind an allowed name: Host, SNI, absolute form, on intercepted and on relayed hosts
# decided-by: egress
# hosts: echo.test other.test
# timeout: 60
def must_fail(what, host, request, **more):
    try:
        answer = raw_http(host, request, **more)
    except OSError:
        return
    if status_of(answer) not in (0, 400, 403, 421):
        breach("%s: %r" % (what, answer[:300]))
end = b"Connection: close\r\n\r\n"
for host, tls, port in (("echo.test", True, 443), ("echo.test", False, 80), ("other.test", False, 80)):
    place = dict(tls=tls, port=port)
    must_fail("another Host", host, b"GET / HTTP/1.1\r\nHost: tenant.test\r\n" + end, **place)
    must_fail("two Hosts", host, b"GET / HTTP/1.1\r\nHost: " + host.encode() + b"\r\nHost: tenant.test\r\n" + end, **place)
    must_fail("no Host", host, b"GET / HTTP/1.1\r\n" + end, **place)
    must_fail("absolute form", host, b"GET http://tenant.test/ HTTP/1.1\r\nHost: " + host.encode() + b"\r\n" + end, **place)
    must_fail("absolute form with userinfo", host, b"GET http://" + host.encode() + b"@tenant.test/ HTTP/1.1\r\nHost: " + host.encode() + b"\r\n" + end, **place)
    must_fail("Host with another port", host, b"GET / HTTP/1.1\r\nHost: " + host.encode() + b":8443\r\n" + end, **place)
for host in ("echo.test", "other.test"):
    for name in ("tenant.test", "", "sub." + host):
        try:
            answer = raw_http(host, b"GET / HTTP/1.1\r\nHost: tenant.test\r\n" + end, name=name)
        except OSError:
            continue
        if status_of(answer):
            breach("%s with the SNI %r: %r" % (host, name, answer[:300]))
held()
