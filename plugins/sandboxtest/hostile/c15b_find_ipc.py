# C15 looks for the shared memory of another box
until = time.time() + 2
while time.time() < until:
    if (_libc.shmget(0x41414141, 4096, 0) != -1 or _libc.semget(0x41414141, 1, 0) != -1
            or _libc.msgget(0x41414141, 0) != -1):
        breach("System V IPC is shared")
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    refused("abstract socket", lambda: s.connect("\0airlock-hostile"))
    s.close()
    time.sleep(0.1)
held()
