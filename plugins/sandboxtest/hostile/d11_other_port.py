# D11 reaches an allowed host on other ports
# decided-by: egress
# hosts: allowed.test:8080
import urllib.request
if urllib.request.urlopen("http://allowed.test:8080/", timeout=10).read() != b"hello from the allowed host":
    breach("the allowed host does not answer")
address = socket.gethostbyname("allowed.test")
for port in (22, 25, 80, 443, 6379, 9090):
    s = socket.socket()
    s.settimeout(2)
    refused("port %d" % port, lambda: s.connect((address, port)))
    s.close()
held()
