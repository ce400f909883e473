# D21 listens and waits for a connection
# restricted: nothing can be bound, and nothing listens
s = socket.socket()
if RESTRICTED:
    refused("bind", s.bind, ("0.0.0.0", 0))
    refused("listen", s.listen)
    held()
    sys.exit()
s.bind(("0.0.0.0", 0))
s.listen()
s.settimeout(1)
refused("somebody came", s.accept)
held()
