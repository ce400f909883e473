# coordinates threads with queues, events, locks and timers
import queue, threading
work, done, total, lock = queue.Queue(), threading.Event(), [0], threading.Lock()


def add():
    while (n := work.get()) is not None:
        with lock:
            total[0] += n


threads = [threading.Thread(target=add) for _ in range(10)]
[t.start() for t in threads]
[work.put(n) for n in range(1000)]
[work.put(None) for _ in threads]
[t.join() for t in threads]
threading.Timer(0.01, done.set).start()
assert done.wait(20) and total[0] == 499500 and threading.local()
set_result("works")
