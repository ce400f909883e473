# B08 sends PID 1 storms of signals
for _ in range(2000):
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM,
                   signal.SIGINT, signal.SIGPIPE, signal.SIGURG, signal.SIGQUIT, signal.SIGKILL):
        try:
            os.kill(1, number)
        except OSError:
            pass
held()
