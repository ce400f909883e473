# A05 leaves a link to a host file where a collector might follow it
for name in ("result.json", "output", "artifact"):
    os.symlink("/etc/shadow", "/tmp/" + name)
    refused("follow", lambda: open("/tmp/" + name).read())
held()
