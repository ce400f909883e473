# E03 fills /tmp and /dev/shm
for directory, most in ((TMP, 80 << 20), ("/dev/shm", 257 << 20)):  # that is half the memory
    written = 0
    def fill():
        global written
        with open(directory + "/fill", "wb") as f:
            while written < 1 << 30:
                written += f.write(b"x" * (1 << 20))
                f.flush()
    if os.path.isdir(directory):
        refused(directory, fill)
        if written > most:
            breach("%s took %d bytes" % (directory, written))
        try:
            os.remove(directory + "/fill")
        except OSError:
            pass
held()
