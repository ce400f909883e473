# handles signals, an alarm and a timer
import os, signal, time
seen = []
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGALRM):
    signal.signal(number, lambda n, frame: seen.append(signal.Signals(n).name))
os.kill(os.getpid(), signal.SIGUSR1)
os.kill(os.getpid(), signal.SIGTERM)
signal.setitimer(signal.ITIMER_REAL, 0.05)
time.sleep(0.2)
assert seen == ["SIGUSR1", "SIGTERM", "SIGALRM"], seen
set_result("works")
