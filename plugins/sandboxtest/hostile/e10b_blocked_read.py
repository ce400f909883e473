# E10 blocks in a read of every descriptor it has
# status: timeout completed error
# timeout: 2
for fd in range(0, 64):
    threading.Thread(target=lambda: os.read(fd, 1), daemon=True).start()
    time.sleep(0.01)
time.sleep(100)
