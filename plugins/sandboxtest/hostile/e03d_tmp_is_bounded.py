# E03 fills /tmp and /dev/shm
for directory in (TMP, "/dev/shm"):
    written = 0
    def fill():
        global written
        with open(directory + "/fill", "wb") as f:
            while written < 1 << 30:
                written += f.write(b"x" * (1 << 20))
                f.flush()
    if os.path.isdir(directory):
        refused(directory, fill)
        if written > 80 << 20:
            breach("%s took %d bytes" % (directory, written))
        try:
            os.remove(directory + "/fill")
        except OSError:
            pass
held()
