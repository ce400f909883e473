# limits a call by an alarm whose exception it catches, as retrying libraries do
import signal, time


class Late(Exception):
    pass


def on_alarm(number, frame):
    raise Late


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    time.sleep(20)
    raise SystemExit("no alarm")
except Late:
    pass
set_result("works")
