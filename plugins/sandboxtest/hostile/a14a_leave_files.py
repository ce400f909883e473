# A14 leaves files for the next execution
for directory in (TMP, "/tmp", "/dev/shm"):
    try:
        with open(directory + "/left-behind", "w") as f:
            f.write("from another execution")
    except OSError:
        pass
refused("/var/tmp", lambda: open("/var/tmp/left-behind", "w"))
held()
