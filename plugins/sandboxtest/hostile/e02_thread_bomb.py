# E02 starts threads without end
stop = threading.Event()
threads = []
try:
    for _ in range(5000):
        t = threading.Thread(target=stop.wait, daemon=True)
        t.start()
        threads.append(t)
except RuntimeError:
    stop.set()
    held()
else:
    breach("%d threads" % len(threads))
