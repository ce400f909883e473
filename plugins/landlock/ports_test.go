package landlock

import "testing"

// TestConnectionsBesideDescriptorsOnTheirWay has a box keep as many descriptors on their way
// through a socket as it can. They are counted by uid.
func TestConnectionsBesideDescriptorsOnTheirWay(t *testing.T) {
	const script = `
import array, os, socket, struct, threading
def message(kind, number=0):
    return struct.pack(">cBBxIIxxxxHxx", kind, 0, 0, number, 0, 0)
supervisor = socket.socket(fileno=os.dup(3))
supervisor.send(message(b"H"))
supervisor.recv(64)
def take_connections():
    while True:
        data, ancillary, _, _ = supervisor.recvmsg(64, 64)
        supervisor.send(message(b"V", struct.unpack(">4xI", data[:8])[0]))
        os.close(array.array("i", ancillary[0][2])[0])
threading.Thread(target=take_connections, daemon=True).start()
a, b = socket.socketpair()
try:
    for _ in range(100): socket.send_fds(a, [b"x"], [1] * 50)
except OSError: pass
socket.create_connection(("127.77.0.1", 443)).close()
print("connected")
`
	out, exit, err := inspected(t, "test-on-their-way").python(t.Context(), "_way", probeLimits(), script, nil)
	if err != nil || string(out) != "connected\n" {
		t.Errorf("%v %+v %s", err, exit, out)
	}
}

func TestConnectionsBesideDescriptorsOnTheirWayWithSharedUID(t *testing.T) {
	asNobody(t, "TestConnectionsBesideDescriptorsOnTheirWay", nil, "")
}

// TestConnectionsUseOnePort makes many connections, whose far ends close first: the port they were
// accepted at is then kept for a minute, and it's the host's.
func TestConnectionsUseOnePort(t *testing.T) {
	const script = `
import array, os, socket, struct, threading
def message(kind, number=0):
    return struct.pack(">cBBxIIxxxxHxx", kind, 0, 0, number, 0, 0)
supervisor = socket.socket(fileno=os.dup(3))
supervisor.send(message(b"H"))
supervisor.recv(64)
def take_connections():
    while True:
        data, ancillary, _, _ = supervisor.recvmsg(64, 64)
        with socket.socket(fileno=array.array("i", ancillary[0][2])[0]) as s:
            supervisor.send(message(b"V", struct.unpack(">4xI", data[:8])[0]))
            s.sendall(b"hello")
threading.Thread(target=take_connections, daemon=True).start()
ports = set()
def connect(times):
    for _ in range(times):
        with socket.create_connection(("127.77.0.1", 443)) as s:
            ports.add(s.getpeername()[1])
            if s.recv(9) != b"hello": print("nobody there")
            s.recv(1)
threads = [threading.Thread(target=connect, args=(10,)) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(ports))
`
	out, exit, err := inspected(t, "test-ports").python(t.Context(), "_ports", probeLimits(), script, nil)
	if err != nil || string(out) != "1\n" {
		t.Errorf("%v %+v, ports: %s", err, exit, out)
	}
}
