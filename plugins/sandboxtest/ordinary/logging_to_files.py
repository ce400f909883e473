# logs to a file that rotates, to stderr and from threads
import logging, logging.handlers, os, threading
log = logging.getLogger("report")
log.setLevel(logging.INFO)
handler = logging.handlers.RotatingFileHandler("report.log", maxBytes=2000, backupCount=2)
handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(threadName)s %(message)s"))
log.addHandler(handler)
threads = [threading.Thread(target=lambda: [log.info("line %d", n) for n in range(30)]) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
assert {"report.log", "report.log.1", "report.log.2"} <= set(os.listdir("."))
try:
    1 / 0
except ZeroDivisionError:
    log.exception("failed")
assert "ZeroDivisionError" in open("report.log").read()
set_result("works")
