# E03 takes memory in many processes
# status: error
# error: memory
# timeout: 20
for _ in range(8):
    if os.fork() == 0:
        data = bytearray(200 << 20)
        for i in range(0, len(data), 4096):
            data[i] = 1
        time.sleep(100)
time.sleep(15)
breach("the processes together had more than the limit")
