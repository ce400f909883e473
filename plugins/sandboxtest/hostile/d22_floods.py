# D22 opens thousands of connections to an allowed host
# decided-by: egress
# hosts: allowed.test:8080
# timeout: 60
# pair: d22b_beside_a_flood
opened, kept = 0, []
for _ in range(2000):
    try:
        s = socket.socket()
        s.settimeout(0.5)
        s.connect(("allowed.test", 8080))
        s.sendall(b"GET / HTTP/1.1\r\n")
        kept.append(s)
        opened += 1
    except OSError:
        s.close()
        if len(kept) > 200:
            [k.close() for k in kept]
            kept = []
        if opened == 0:
            breach("the allowed host can't be reached")
        break
held()
