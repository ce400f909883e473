# D21 listens and waits for somebody to come
s = socket.socket()
s.bind(("0.0.0.0", 0))
s.listen()
s.settimeout(1)
refused("somebody came", s.accept)
held()
