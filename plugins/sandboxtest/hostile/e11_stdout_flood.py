# E11 floods stdout at full speed
# status: completed error
# timeout: 30
block = b"x" * 65536
for _ in range(8000):
    os.write(1, block)
held()
