# B10 leaves many orphans; they are reaped and their places are free again
# timeout: 240
# restricted: zombies can't be seen, but their places are free
for _ in range(300):
    if os.fork() == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
if RESTRICTED:  # they can't be seen, but three hundred would not fit beside another hundred
    children = [os.fork() or os._exit(0) for _ in range(20)]
    for child in children:
        os.waitpid(child, 0)
    held()
    sys.exit()
for _ in range(100):
    zombies = 0
    for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
        try:
            zombies += open("/proc/%s/stat" % pid).read().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            pass
    if zombies == 0:
        break
    time.sleep(0.05)
else:
    breach("%d zombies" % zombies)
held()
