# C09 uses clone3 with namespace flags; threads still work
args = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
value, error = syscall("clone3", args, 88)
if value == 0:
    os._exit(0)
if error is None:
    breach("clone3 made a namespace")
done = []
threads = [threading.Thread(target=done.append, args=(i,)) for i in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
if sorted(done) != list(range(8)):
    breach("threads are broken")
held()
