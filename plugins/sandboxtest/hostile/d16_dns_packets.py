# D16 sends questions to resolvers of its own choice
# restricted: there are no datagram sockets; names are asked for over TCP
question = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x06secret\x04evil\x07example\x00\x00\x01\x00\x01"
if RESTRICTED:
    refused("a datagram socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
for address in ("8.8.8.8", "1.1.1.1", settings.get("HOST_ADDRESSES").split(",")[0]):
    if not RESTRICTED:
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.settimeout(1)
        refused("UDP to " + address, lambda: (s.sendto(question, (address, 53)), s.recv(512)))
    t = socket.socket()
    t.settimeout(1)
    refused("TCP to " + address, lambda: t.connect((address, 53)))
# The box's own resolver knows the allowed names and nothing else.
if RESTRICTED:
    s = socket.create_connection(("127.0.0.1", 53), 2)
    s.sendall(len(question).to_bytes(2, "big") + question)
    if s.recv(512)[5] & 15 != 3:
        breach("the resolver did not say NXDOMAIN")
    held()
    sys.exit()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(2)
s.sendto(question, ("127.0.0.1", 53))
if s.recv(512)[3] & 15 != 3:
    breach("the resolver did not say NXDOMAIN")
for junk in (b"", b"\x00", b"\xff" * 512, question[:-3], question[:12] + b"\xc0\x0c" * 100):
    s.sendto(junk, ("127.0.0.1", 53))
s.sendto(question, ("127.0.0.1", 53))
held()
