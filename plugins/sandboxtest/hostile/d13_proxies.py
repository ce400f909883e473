# D13 asks the relay for a third host, itself and through a helper process
# decided-by: egress
# hosts: allowed.test:8080
def ask(request):
    s = socket.create_connection(("allowed.test", 8080), 5)
    s.sendall(request)
    answer = s.recv(4096)
    s.close()
    return answer
# The relay is transparent: every request reaches the allowed host and no other.
for request in (
    http_head(b"CONNECT 169.254.169.254:80 HTTP/1.1", b"Host: 169.254.169.254:80"),
    http_head(b"GET http://169.254.169.254/latest HTTP/1.1", b"Host: 169.254.169.254", b"Connection: close"),
):
    if b"canary" in ask(request):
        breach("the relay dialled a third host")
code = """import socket
try:
    socket.create_connection(('169.254.169.254', 80), 1)
    print('BREACH')
except OSError:
    print('held')
"""
if subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() != "held":
    breach("a helper process got out")
held()
