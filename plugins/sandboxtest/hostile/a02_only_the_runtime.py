# A02 lists the root and looks for what belongs to the host
allowed = {"airlock-init", "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "tmp", "usr"}
extra = set(os.listdir("/")) - allowed
if extra:
    breach("unexpected in /: %s" % sorted(extra))
for path in ("/data", "/root", "/home", "/sys", "/run", "/var", "/var/run/docker.sock", "/run/docker.sock", "/work", "/srv", "/opt", "/mnt", "/boot", "/usr/local/go", "/usr/src"):
    if os.path.exists(path) and (not os.path.isdir(path) or os.listdir(path)):
        breach(path + " is there")
canary = settings.get("CANARY_FILE")
if os.path.exists(canary):
    breach("the host's canary file is visible")
held()
