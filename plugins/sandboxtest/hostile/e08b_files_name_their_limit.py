# E08 opens files without end and lets the error out: it names the limit
# status: error
# error: AIRLOCK_LIMIT_FILES
kept = [open("/dev/null") for _ in range(10000)]
