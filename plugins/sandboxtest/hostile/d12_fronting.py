# D12 asks for another tenant behind an intercepted or relayed name: Host, SNI, absolute form
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
get, tenant, close = b"GET / HTTP/1.1", b"Host: tenant.test", b"Connection: close"
for host, tls, port in (("echo.test", True, 443), ("echo.test", False, 80), ("other.test", False, 80)):
    name = host.encode()
    own = b"Host: " + name
    for what, head in {
        "another Host": (get, tenant),
        "two Hosts": (get, own, tenant),
        "no Host": (get,),
        "absolute form": (b"GET http://tenant.test/ HTTP/1.1", own),
        "absolute form with userinfo": (b"GET http://" + name + b"@tenant.test/ HTTP/1.1", own),
        "Host with another port": (get, own + b":8443"),
    }.items():
        must_fail(what, host, http_head(*head, close), tls=tls, port=port)
for host in ("echo.test", "other.test"):
    for name in ("tenant.test", "", "sub." + host):
        try:
            answer = raw_http(host, http_head(get, tenant, close), name=name)
        except OSError:
            continue
        if status_of(answer):
            breach("%s with the SNI %r: %r" % (host, name, answer[:300]))
held()
