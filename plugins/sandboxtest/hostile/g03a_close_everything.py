# G03 closes every descriptor
# status: completed error
held()
for fd in range(256):
    try:
        os.close(fd)
    except OSError:
        pass
