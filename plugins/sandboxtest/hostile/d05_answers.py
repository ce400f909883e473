# D05 D06 D07 connects to allowed names whose answers lead inside; the engine checks every address
# decided-by: egress
# hosts: internal-0.test:80 internal-1.test:80 internal-2.test:80 internal-3.test:80
# hosts: internal-4.test:80 internal-5.test:80 internal-6.test:80 mixed.test:80 rebind.test:80
import urllib.request
for name in ["internal-%d.test" % i for i in range(7)] + ["mixed.test", "rebind.test", "rebind.test"]:
    try:
        body = urllib.request.urlopen("http://%s/" % name, timeout=5).read()
    except OSError:
        continue
    breach("%s answered %r" % (name, body))
held()
