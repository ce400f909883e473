# A05 leaves a link to a host file where a collector might follow it
for name in ("result.json", "output", "artifact"):
    os.symlink("/etc/shadow", TMP + "/" + name)
    refused("follow", lambda: open(TMP + "/" + name).read())
held()
