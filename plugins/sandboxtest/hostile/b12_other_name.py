# B12 goes on under another name and from a file without a path
code = """import socket
try:
    socket.create_connection(('8.8.8.8', 53), 1)
    print('BREACH')
except OSError:
    print('confined')
"""
out = subprocess.run(["harmless-name", "-c", code], executable=sys.executable, capture_output=True, text=True).stdout
if out.strip() != "confined":
    breach("renamed process: %r" % out)
if os.fork() == 0:
    try:
        fd = os.memfd_create("x")  # fails where memory is counted from outside
        with open("/bin/true", "rb") as f:
            os.write(fd, f.read())
        os.execve(fd, ["true"], {})
    except OSError:
        os._exit(0)
os.wait()
held()
