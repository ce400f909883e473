# Strains the box it is PID 1 of: first the processor, then memory until the box is killed. Prints the
# share of a core it got.
# Where nothing holds the limit it stops by itself: the line on stdin says at how many bytes, and for
# how many seconds it then keeps them.
import sys, time

wall, cpu = time.monotonic(), time.process_time()
while time.monotonic() - wall < 0.2:
    pass
print((time.process_time() - cpu) / (time.monotonic() - wall), flush=True)
most, keep = map(int, sys.stdin.readline().split())
held, step = [], 4 << 20
while len(held) * step < most:
    held.append(bytearray(b"\1") * step)
time.sleep(keep)
