# A02 lists the root and looks for files of the host
# restricted: a path's existence shows, its content doesn't
allowed = {".dockerenv", "airlock-init", "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys",
           "tmp", "usr"}
extra = set(listed("/")) - allowed
if extra:
    breach("unexpected in /: %s" % sorted(extra))
for path in ("/data", "/root", "/home", "/sys", "/run", "/var", "/var/run/docker.sock", "/run/docker.sock", "/srv",
             "/opt", "/mnt", "/boot", "/usr/local/go", "/usr/src"):
    if RESTRICTED:
        refused("read " + path, lambda: os.listdir(path) if os.path.isdir(path) else open(path).read())
        continue
    if path == "/sys" and all(not files and set(dirs) <= {"fs", "cgroup"} for _, dirs, files in os.walk(path)):
        continue  # missing, or covered by an empty file system
    if os.path.exists(path) and (not os.path.isdir(path) or os.listdir(path)):
        breach(path + " is there")
canary = settings.get("CANARY_FILE")
if RESTRICTED:
    refused("read the canary", lambda: open(canary).read())
elif os.path.exists(canary):
    breach("the host's canary file is visible")
held()
