# B11 ends while a child keeps stdout open for ever
# within: 10
if os.fork() == 0:
    os.setsid()
    for number in range(1, 32):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        time.sleep(1)
held()
