# A03 writes where nothing may be written
for directory in ("/", "/usr", "/usr/bin", "/bin", "/etc", "/lib", "/usr/lib/python3", "/proc", "/dev"):
    refused("write to " + directory, lambda: open(os.path.join(directory, "planted"), "w"))
for path in ("/usr/bin/python3", "/etc/passwd", "/etc/resolv.conf", "/etc/hosts"):
    refused("overwrite " + path, lambda: open(path, "r+"))
    refused("remove " + path, lambda: os.remove(path))
    refused("chmod " + path, lambda: os.chmod(path, 0o777))
held()
