# D13 asks the relay for a third host, itself and through a helper process
# decided-by: egress
# hosts: allowed.test:8080
def ask(request):
    s = socket.create_connection(("allowed.test", 8080), 5)
    s.sendall(request)
    answer = s.recv(4096)
    s.close()
    return answer
# The relay is transparent: whatever is asked reaches the allowed host and no other.
for request in (b"CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: 169.254.169.254:80\r\n\r\n", b"GET http://169.254.169.254/latest HTTP/1.1\r\nHost: 169.254.169.254\r\nConnection: close\r\n\r\n"):
    if b"canary" in ask(request):
        breach("the relay dialled a third host")
code = "import socket\ntry:\n    socket.create_connection(('169.254.169.254', 80), 1)\n    print('BREACH')\nexcept OSError:\n    print('held')\n"
if subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() != "held":
    breach("a helper process got out")
held()
