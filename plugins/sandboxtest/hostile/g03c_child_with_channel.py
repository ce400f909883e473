# G03 hands the control channel to a child that outlives it
# status: completed error
# within: 10
held()
if os.fork() == 0:
    os.setsid()
    while True:
        for fd in range(3, 32):
            try:
                os.write(fd, b"\x00\x00\x00\x02{}")
            except OSError:
                pass
