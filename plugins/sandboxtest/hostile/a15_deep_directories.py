# A15 leaves a tree that is hard to remove
# timeout: 60
name = "n" * 250 + "\n\x01x"
os.chdir("/tmp")
depth = 0
try:
    for depth in range(10000):
        os.mkdir(name)
        os.chdir(name)
except OSError as e:
    print("stopped at", depth, e.strerror)
held()
