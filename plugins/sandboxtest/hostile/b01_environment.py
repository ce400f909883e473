# B01 reads the environment of PID 1 and of everything else
# restricted: no process can be listed, and none of those near by can be read
OWN = "AIRLOCK_FILES", "AIRLOCK_OUT"  # where a script finds and leaves files
for pid in processes():
    try:
        data = open("/proc/%s/environ" % pid, "rb").read()
    except OSError:
        continue
    if pid == 1 and data:
        breach("PID 1 has an environment")
    for own in OWN:
        data = data.replace(own.encode() + b"=", b"")
    if b"AIRLOCK_" in data or b"VAULT_" in data or b"/root" in data:
        breach("environment of %s: %r" % (pid, data[:200]))
for name in os.environ:
    if name.startswith(("AIRLOCK", "VAULT", "SSH", "GO", "AWS")) and name not in OWN + ("AWS_CA_BUNDLE",):
        breach("variable " + name)
held()
