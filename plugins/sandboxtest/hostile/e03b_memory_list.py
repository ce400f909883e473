# E03 doubles a list for ever, and catches what Python offers
# status: error
# error: memory
data = [b"x" * 4096]
while True:
    data = data + [bytes(b) + b"x" for b in data]
