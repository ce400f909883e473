# talks over a Unix socket and over a pair of sockets
# except landlock: Scripts can't listen.
import socket, threading
ours, theirs = socket.socketpair()
theirs.sendall(b"pair")
assert ours.recv(10) == b"pair"
listener = socket.socket(socket.AF_UNIX)
listener.bind("socket")
listener.listen()
threading.Thread(target=lambda: listener.accept()[0].sendall(b"unix"), daemon=True).start()
client = socket.socket(socket.AF_UNIX)
client.connect("socket")
assert client.recv(10) == b"unix"
set_result("works")
