# B07 stops PID 1 and the whole group; the deadline still fires
# status: timeout
# timeout: 2
for pid in (1, 0, -1):
    try:
        os.kill(pid, signal.SIGSTOP)
    except OSError:
        pass
while True:
    time.sleep(1)
