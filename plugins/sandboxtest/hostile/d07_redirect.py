# D07 follows a redirect from an allowed host to the metadata service and to a file
# decided-by: egress
# hosts: allowed.test:8080
import urllib.request
for where in ("metadata", "file", "loopback"):
    try:
        body = urllib.request.urlopen("http://allowed.test:8080/redirect-to-" + where, timeout=5).read()
    except (OSError, ValueError):
        continue
    breach("followed a redirect to %s: %r" % (where, body))
held()
