# E09 computes in many processes without end; the share of one core holds
# status: timeout
# timeout: 2
for _ in range(8):
    if os.fork() == 0:
        while True:
            pass
while True:
    pass
