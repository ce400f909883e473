# A04 climbs out by dots and by the links in /proc
# restricted: a path's existence shows, its content doesn't
roots = ["/" + "../" * 30, "/proc/self/root/", "/proc/self/cwd/" + "../" * 30, "/proc/%d/root/" % os.getpid()]
for root in roots:
    for path in ("etc/shadow", "root/.ssh", "home"):
        refused(root + path, lambda: os.listdir(root + path) if path != "etc/shadow" else open(root + path).read())
        if not RESTRICTED:
            refused("stat " + root + path, lambda: os.stat(root + path))
refused("/proc/1/root", lambda: os.listdir("/proc/1/root/"))
refused("/proc/1/cwd", lambda: os.listdir("/proc/1/cwd/"))
if RESTRICTED:
    held()
    sys.exit()
here, there = os.stat("/"), os.stat(roots[0])
if (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino):
    breach("another root")
held()
