# B02 reads the command lines in the box
# restricted: no process can be listed, and none of those near by can be read
marks = b"--setenv", b"--bind", b"/root", b"bwrap", settings.get("INJECTED").encode()
for pid in processes():
    try:
        line = open("/proc/%s/cmdline" % pid, "rb").read()
    except OSError:
        continue
    if any(mark in line for mark in marks):
        breach("command line of %s: %r" % (pid, line))
held()
