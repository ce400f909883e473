# D02 D09 D16 resolves names that nobody allowed
for name in ("metadata.google.internal", "localhost.localdomain", "example.com", "secret-in-a-label.evil.example",
             "airlock", "host.docker.internal", "allowed.test.evil.example", "xallowed.test"):
    refused("resolved " + name, lambda: socket.getaddrinfo(name, 80))
held()
