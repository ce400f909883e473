# E08 opens thousands of terminals
fds = []
try:
    for _ in range(4096):
        fds += os.openpty()
except OSError:
    held()
else:
    breach("%d terminals" % len(fds))
