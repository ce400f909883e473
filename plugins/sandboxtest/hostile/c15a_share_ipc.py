# C15 leaves shared memory and queues for another box that runs at the same time
# pair: c15b_find_ipc
IPC_CREAT = 0o1000
_libc.shmget(0x41414141, 4096, IPC_CREAT | 0o666)
_libc.semget(0x41414141, 1, IPC_CREAT | 0o666)
_libc.msgget(0x41414141, IPC_CREAT | 0o666)
s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
s.bind("\0airlock-hostile")
s.listen()
time.sleep(2)
held()
