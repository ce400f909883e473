# Uses up the processor and prints the share of a core that it got, then takes memory until the box
# is killed. If nothing holds the limit, it stops by itself: the line on stdin names the bytes at
# which it stops, and the seconds for which it then keeps them.
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
