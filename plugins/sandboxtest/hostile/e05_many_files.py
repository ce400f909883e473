# E05 makes 300,000 empty files; whether they fit or the box ends, the host keeps its inodes
# status: completed error
# timeout: 60
made = 0
try:
    for made in range(300000):
        os.close(os.open(TMP + "/%d" % made, os.O_CREAT | os.O_WRONLY))
except OSError as e:
    print(e.strerror, "after", made)
held()
