# G03 puts other files over the control channel and writes garbage to every descriptor
# status: error completed
for fd in range(3, 64):
    try:
        os.write(fd, b"\xff" * 4096)
    except OSError:
        pass
for fd in range(3, 64):
    try:
        os.dup2(1, fd)
    except OSError:
        pass
held()
