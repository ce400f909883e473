# B02 reads the command lines in the box
# restricted: no process can be listed, and none of those near by can be read
for pid in processes():
    try:
        line = open("/proc/%s/cmdline" % pid, "rb").read()
    except OSError:
        continue
    if b"--setenv" in line or b"--bind" in line or b"/root" in line or b"bwrap" in line or settings.get("INJECTED").encode() in line:
        breach("command line of %s: %r" % (pid, line))
held()
