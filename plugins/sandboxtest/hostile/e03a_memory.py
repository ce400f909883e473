# E03 takes a gigabyte
# status: error
# error: memory
data = bytearray(1 << 30)
for i in range(0, len(data), 4096):
    data[i] = 1
breach("a gigabyte was to be had")
