# E05 makes 100,000 empty files; whether they fit or the box ends, the host keeps its inodes
# status: completed error
# timeout: 60
made = 0
try:
    for made in range(100000):
        os.close(os.open(TMP + "/%d" % made, os.O_CREAT | os.O_WRONLY))
except OSError as e:
    print(e.strerror, "after", made)
held()
