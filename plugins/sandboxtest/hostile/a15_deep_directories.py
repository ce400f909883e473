# A15 leaves a tree that is hard to remove
# timeout: 60
# restricted: a thousand levels, since each step there costs as many checks as it is deep
name = "n" * 250 + "\n\x01x"
os.chdir(TMP)
depth = 0
try:
    for depth in range(1000 if RESTRICTED else 10000):
        os.mkdir(name)
        os.chdir(name)
except OSError as e:
    print("stopped at", depth, e.strerror)
held()
