# asks for the machine's own name and address
import getpass, os, platform, socket, uuid
name = socket.gethostname()
assert name and platform.node() == name
assert socket.gethostbyname(name).startswith("127.")
assert socket.getfqdn() and socket.getfqdn("localhost")
assert socket.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)
assert getpass.getuser() and os.path.expanduser("~").startswith("/") and uuid.uuid1()
set_result("works")
