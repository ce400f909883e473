# B16 looks for a terminal to type into
import fcntl, termios
refused("/dev/tty", lambda: open("/dev/tty"))
for fd in (0, 1, 2):
    refused("TIOCSTI", lambda: fcntl.ioctl(fd, termios.TIOCSTI, b"x"))
    refused("tcsetpgrp", lambda: os.tcsetpgrp(fd, os.getpgrp()))
held()
