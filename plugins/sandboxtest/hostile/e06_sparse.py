# E06 makes a file of a tebibyte
def grow():
    with open(TMP + "/sparse", "wb") as f:
        f.truncate(1 << 40)
        f.seek((1 << 40) - 1)
        f.write(b"x")
refused("truncate", grow)
with open(TMP + "/allocated", "wb") as f:
    refused("fallocate", lambda: os.posix_fallocate(f.fileno(), 0, 1 << 40))
held()
