# D22 asks the host that another execution floods, and is answered each time
# decided-by: egress
# hosts: allowed.test:8080
# timeout: 60
# profile: neighbour
import urllib.request

for n in range(30):
    try:
        text = urllib.request.urlopen("http://allowed.test:8080/", timeout=15).read()
    except OSError as e:
        breach("request %d beside a flood: %r" % (n, e))
    if text != b"hello from the allowed host":
        breach("request %d was answered %r" % (n, text))
    time.sleep(0.05)
held()
