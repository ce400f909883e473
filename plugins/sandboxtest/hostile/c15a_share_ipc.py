# C15 leaves shared memory and queues for another box that runs at the same time
# pair: c15b_find_ipc
# restricted: neither can be made
IPC_CREAT = 0o1000
_libc.shmget(0x41414141, 4096, IPC_CREAT | 0o666)
_libc.semget(0x41414141, 1, IPC_CREAT | 0o666)
_libc.msgget(0x41414141, IPC_CREAT | 0o666)
def share():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.bind("\0airlock-hostile")
    s.listen()
    return s
if RESTRICTED:
    refused("a Unix socket", share)
    for call in (_libc.shmget, _libc.semget):
        if call(0x41414141, 1, IPC_CREAT | 0o666) != -1:
            breach("SysV IPC")
else:
    s = share()
time.sleep(2)
held()
